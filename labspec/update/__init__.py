"""Students' clones brought to a new version of their lab: what they wrote stays, and they are told what to do."""

from labspec.update.update import Update, Updated, update_all

__all__ = ["Update", "Updated", "update_all"]
