"""`python -m labspec`."""

import sys

from labspec.cli import main

if __name__ == "__main__":
    sys.exit(main())
