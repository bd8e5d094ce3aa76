"""Ledgers of any size and from anybody: checked against a lab, brought to its taxonomy, compared with each other."""

from labspec.ledger.check import Checked, Endings, check_ledgers
from labspec.ledger.compare import Comparison, Difference, Run, compare_ledgers
from labspec.ledger.migrate import Migrated, Refused, migrate_ledgers

__all__ = [
    "Checked",
    "Comparison",
    "Difference",
    "Endings",
    "Migrated",
    "Refused",
    "Run",
    "check_ledgers",
    "compare_ledgers",
    "migrate_ledgers",
]
