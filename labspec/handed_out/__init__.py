"""The lab as students have it: what stands in every repository as data, and the lab that can be read back from it.

It says nothing that the handout and the tests do not say: hidden fixtures, mistakes, what commands will come to and how
stretch goals change the loop stay at home. `emit` writes it into `.labspec/lab.json`, and so a repository can be
compared with a later spec.
"""

from labspec.handed_out.write import cover_data, to_data

__all__ = ["cover_data", "to_data"]
