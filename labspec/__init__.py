"""labspec compiles a YAML lab spec into a student repository and proves that the lab is sound."""

__version__ = "0.1.0"
