"""The machine: its data, the reference runner that interprets it, and the explorer that walks its states."""
