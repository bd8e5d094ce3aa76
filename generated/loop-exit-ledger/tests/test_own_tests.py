"""Gate own_tests, 15 points: Your own tests notice a loop that ends in the wrong way"""

from __future__ import annotations

from contract.own_tests import (
    Mutants,
    OwnTests,
    check_own_tests_catch,
    check_own_tests_pass,
)


def test_own_tests_pass(own_tests: OwnTests) -> None:
    """Your own tests pass, and there are some."""
    check_own_tests_pass(own_tests, "test_loop_exit.py")


def test_own_tests_catch(own_tests: OwnTests, mutants: Mutants) -> None:
    """Your own tests accept a right loop and catch at least 8 of 11 wrong ones."""
    check_own_tests_catch(own_tests, "test_loop_exit.py", mutants, "own_tests", 8)
