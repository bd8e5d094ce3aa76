"""Gate person, 15 points: A person who was asked takes over, with exit code 3"""

from __future__ import annotations

from contract import Bench, Expected, check_exit, check_exit_code

ASKS_A_PERSON_V1 = Expected(
    reason="human_escalation",
    turns=2,
    tool_names=("read_file", "ask_person"),
    last_error="not_readable",
    exit_code=3,
    decided_by=(
        "row 7 (human_escalation) at `result` of turn 2: the tool is `ask_person` and "
        "the result is ok"
    ),
    hints={
        "c8f376141027": (
            "looks like: Asking a person is a call like every other, and the loop goes "
            "on\n"
            "hint: Who acts next once a person has been asked?"
        ),
        "c8f376141027 with exit code 1": (
            "looks like: Asking a person is a call like every other, and the loop goes "
            "on\n"
            "hint: Who acts next once a person has been asked?"
        ),
        "effb4fc97dc8 with exit code 1": (
            "looks like: A run that a person takes over ends with exit code 1\n"
            "hint: How would a script know that a person has to act?"
        ),
    },
    closing=("error", "human_escalation"),
)

NOBODY_IS_THERE_V1 = Expected(
    reason="unproven",
    turns=2,
    tool_names=("ask_person",),
    last_error="nobody_there",
    exit_code=1,
    decided_by="row 4 (unproven) at `decision` of turn 2: the decision is a stop",
    hints={
        "a0c2900c3013": (
            "looks like: The run is handed over although nobody was there\n"
            "hint: A question is only handed over when somebody has taken it."
        ),
        "a0c2900c3013 with exit code 3": (
            "looks like: The run is handed over although nobody was there\n"
            "hint: A question is only handed over when somebody has taken it."
        ),
    },
    closing=("error", "unproven"),
)


def test_asks_a_person_v1_exit(bench: Bench) -> None:
    """A call fails, the model asks a person, and the run is in their hands: the run
    ends as the table says.
    """
    check_exit(bench, "asks_a_person_v1", ASKS_A_PERSON_V1)


def test_nobody_is_there_v1_exit(bench: Bench) -> None:
    """The model asks a person, and nobody is there: the run ends as the table says."""
    check_exit(bench, "nobody_is_there_v1", NOBODY_IS_THERE_V1)


def test_asks_a_person_v1_exit_code(bench: Bench) -> None:
    """A call fails, the model asks a person, and the run is in their hands: the run
    ends with the exit code of its reason.
    """
    check_exit_code(bench, "asks_a_person_v1", ASKS_A_PERSON_V1)


def test_nobody_is_there_v1_exit_code(bench: Bench) -> None:
    """The model asks a person, and nobody is there: the run ends with the exit code of
    its reason.
    """
    check_exit_code(bench, "nobody_is_there_v1", NOBODY_IS_THERE_V1)
