"""Two ledgers agree exactly if each run has a partner with the same exit signature."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.cli import main
from labspec.contract import exit_signature
from labspec.diagnostics import Report
from labspec.ledger import Comparison, compare_ledgers
from tests.ledger.cases import compare_cases
from tests.ledger.ledgers import HOSTILE, RECORDS, line

FEW_RECORDS = st.fixed_dictionaries(
    {"run_id": st.sampled_from("abc"), "fixture_id": st.sampled_from(["f", "g"]), "turns": st.integers(1, 2)}
)
LEDGERS = st.lists(FEW_RECORDS, max_size=7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ledgers")


def compare_bytes(folder: Path, a: bytes, b: bytes) -> tuple[Comparison, Report]:
    for name, data in (("a", a), ("b", b)):
        (folder / name).write_bytes(data)
    report = Report()
    comparison = compare_ledgers(folder / "a", folder / "b", report, 3)
    assert comparison is not None
    return comparison, report


def written(records: list[dict[str, Any]]) -> bytes:
    return b"".join(line(**record) for record in records)


@given(a=LEDGERS, b=LEDGERS)
def test_every_run_is_counted_once_on_each_side(folder: Path, a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    found, _ = compare_bytes(folder, written(a), written(b))
    paired = found.agree + len(found.differ)
    assert paired + len(found.only_in_a) == len(a)
    assert paired + len(found.only_in_b) == len(b)
    left = {run.exit.fixture_id for run in found.only_in_a} & {run.exit.fixture_id for run in found.only_in_b}
    assert left == set(), "two runs of one fixture can always be compared"
    for one in found.differ:
        assert one.fields == ("turns",)
        assert one.a.exit.fixture_id == one.b.exit.fixture_id


@given(a=LEDGERS, b=LEDGERS)
def test_the_other_way_round_the_same_is_found(folder: Path, a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    one, _ = compare_bytes(folder, written(a), written(b))
    other, _ = compare_bytes(folder, written(b), written(a))
    assert one.agree == other.agree
    assert sorted((pair.a.line, pair.b.line) for pair in one.differ) == sorted(
        (pair.b.line, pair.a.line) for pair in other.differ
    )
    assert (one.only_in_a, one.only_in_b) == (other.only_in_b, other.only_in_a)


@given(ids=st.lists(st.text(max_size=5), unique=True, max_size=5), data=st.data())
def test_the_order_of_runs_with_ids_of_their_own_does_not_matter(
    folder: Path, ids: list[str], data: st.DataObject
) -> None:
    records = [{**data.draw(RECORDS), "run_id": one} for one in ids]
    shuffled = data.draw(st.permutations(records))
    found, report = compare_bytes(folder, written(records), written(shuffled))
    assert found.agree == len(ids)
    assert report.diagnostics == []
    assert found.is_same == bool(ids)


@given(a=RECORDS, b=RECORDS)
def test_runs_agree_exactly_if_their_signatures_do(folder: Path, a: dict[str, Any], b: dict[str, Any]) -> None:
    b = {**b, "run_id": a["run_id"], "fixture_id": a["fixture_id"]}
    found, _ = compare_bytes(folder, written([a]), written([b]))
    assert found.is_same == (exit_signature(a) == exit_signature(b))
    assert all(one.fields for one in found.differ)


@given(a=HOSTILE, b=HOSTILE)
def test_any_bytes_are_compared_or_diagnosed(folder: Path, a: bytes, b: bytes) -> None:
    found, report = compare_bytes(folder, a, b)
    lines = sum(data.count(b"\n") + (data != b"" and not data.endswith(b"\n")) for data in (a, b))
    runs = 2 * (found.agree + len(found.differ)) + len(found.only_in_a) + len(found.only_in_b)
    assert runs <= lines
    assert (runs < lines) == report.has_errors


@pytest.mark.parametrize("case", compare_cases(), ids=lambda case: case.name.partition(".")[0])
def test_the_document_says_what_the_text_says(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ledger", "compare", str(case), str(case).replace(".a.", ".b.")]
    code = main([*words, "--show", "1000"])
    text = capsys.readouterr().out
    assert main([*words, "--format", "json"]) == code
    document = json.loads(capsys.readouterr().out)
    found = document["comparison"]
    assert (code == 0) == (found["agree"] > 0 and not any(found[key] for key in ("differ", "only_in_a", "only_in_b"))
                           and document["errors"] == 0)  # fmt: skip
    assert text.count("\nrun ") == len(found["differ"])
    assert text.count("\nonly in ") == len(found["only_in_a"]) + len(found["only_in_b"])


def test_a_ledger_that_is_not_there_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_bytes(line())
    assert main(["ledger", "compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    assert "error[file-not-found]" in capsys.readouterr().out
