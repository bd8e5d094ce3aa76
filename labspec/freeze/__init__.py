"""Freezing: a live model drives the reference machine once, and what it did becomes a fixture that replays for ever.

`facts` says what a planner is told about a lab (building a repository needs only that), `planner` makes one, `session`
runs and replays, `fixture` turns the run into what a spec says, and `yaml` writes it down. `labspec freeze` puts them
together.
"""
