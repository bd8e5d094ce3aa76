"""The step from `Source` to `Spec`: pydantic checks the values, and every finding is put back to its place."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from labspec.diagnostics import Report
from labspec.source.nodes import Mapping, plain
from labspec.spec.model import Spec
from labspec.spec.plugins import without_plugins

AnyModel = TypeVar("AnyModel", bound=BaseModel)


def validate(root: Mapping, report: Report) -> Spec | None:
    """The spec that the file says, or None after adding every finding to `report`."""
    return validate_as(Spec, root, report, called="the spec")


def validate_as(model: type[AnyModel], root: Mapping, report: Report, *, called: str) -> AnyModel | None:
    """`root` as an instance of `model`, or None after adding every finding to `report`.

    `called` is what `root` itself is called in findings.
    """
    try:
        with without_plugins():
            return model.model_validate(plain(root))
    except ValidationError as error:
        from labspec.spec.explain import explain  # only a spec with faults pays for it

        explain(model, root, error, called, report)
        return None
