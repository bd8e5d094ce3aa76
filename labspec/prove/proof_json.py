"""`proof.json`: a proof as data, for programs. The same spec gives the same bytes, however it was proved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from labspec.prove.proof import Caught, Proof, Verdict


def proof_json(proof: Proof) -> str:
    """The text of the file."""
    return json.dumps(proof_data(proof), indent=2, ensure_ascii=False) + "\n"


def proof_data(proof: Proof) -> dict[str, Any]:
    """What the file says. Gates, runners and mutants stand in the order of the spec, and gates in lists as well."""
    return {
        "labspec_proof": 1,
        "lab": proof.lab,
        "title": proof.title,
        "version": proof.version,
        "digest": proof.digest,
        "holds": proof.holds,
        "same_bytes": proof.same_bytes,
        "gates": [
            {"id": gate, "points": points, "about": "own tests" if gate in proof.about_tests else "runner"}
            for gate, points in proof.gates
        ],
        "runners": [_runner(proof, verdict) for verdict in proof.verdicts],
        "mutants": [_mutant(proof, mutant) for mutant in proof.mutants],
    }


def _runner(proof: Proof, verdict: Verdict) -> dict[str, Any]:
    result = verdict.result
    return {
        "kind": verdict.kind,
        "name": verdict.name,
        "promise": verdict.promise,
        "kept": verdict.kept,
        "points": proof.points(verdict),
        "expected": [gate for gate, _ in proof.gates if gate in verdict.expected],
        "earned": [gate for gate, _ in proof.gates if gate in result.earned],
        "missed": _in_order(proof, result.first_failures),
        "fault": result.fault,
    }


def _mutant(proof: Proof, mutant: Caught) -> dict[str, Any]:
    return {
        "id": mutant.id,
        "family": mutant.family,
        "says": mutant.says,
        "verdict": mutant.verdict,
        "missed": _in_order(proof, mutant.missed),
        "note": mutant.note,
    }


def _in_order(proof: Proof, missed: Mapping[str, str]) -> dict[str, str]:
    return {gate: missed[gate] for gate, _ in proof.gates if gate in missed}
