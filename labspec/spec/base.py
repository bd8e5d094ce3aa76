"""What all models of a spec share: strictness, and the kinds of text and name an author can write."""

from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


class Model(BaseModel):
    """An object of the YAML file. Strict: no coercion, no unknown keys, no NaN; frozen once validated."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A name that becomes part of file names and identifiers."""

LabId: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]
"""The id of a lab, which names its folder."""

ReasonName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_:]{0,63}$")]
"""A reason of the taxonomy, such as `completed` or `budget:tool_calls`."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank_text", "a text must not be empty or blank")
    return text


def _one_line(text: str) -> str:
    if "\n" in text:
        raise PydanticCustomError("not_one_line", "this text must be one line")
    return _not_blank(text)


# Written as functions because a Unicode pattern on every text would cost more to compile than all specs to validate.
Line: TypeAlias = Annotated[str, Field(max_length=300), AfterValidator(_one_line)]
"""A text of one line."""

Prose: TypeAlias = Annotated[str, Field(max_length=6000), AfterValidator(_not_blank)]
"""A text of one or more paragraphs."""

ErrorCode: TypeAlias = Annotated[str, Field(max_length=2000), AfterValidator(_not_blank)]
"""What a failing call reports. May be long and of many lines, as real errors are."""

Limit: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
"""The limit of a budget."""

ConditionText: TypeAlias = str | bool
"""A condition as it is written; `true` and `false` are conditions too."""

Payload: TypeAlias = Any
"""Data that a tool returns, as JSON."""
