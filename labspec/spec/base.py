"""What all models of a spec share: strictness, and the kinds of text and name an author can write."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError, PydanticKnownError


class Model(BaseModel):
    """An object of the YAML file. Strict: no coercion, no unknown keys, no NaN; frozen once validated."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


Name: TypeAlias = Annotated[str, Field(title="name", pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A name that becomes part of file names and identifiers."""

LabId: TypeAlias = Annotated[str, Field(title="id of a lab", pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]
"""The id of a lab, which names its folder."""

ReasonName: TypeAlias = Annotated[str, Field(title="reason or code", pattern=r"^[a-z][a-z0-9_:]{0,63}$")]
"""A reason of the taxonomy, such as `completed` or `budget:tool_calls`."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank_text", "must not be empty or blank")
    return text


def _one_line(text: str) -> str:
    if "\n" in text:
        raise PydanticCustomError("not_one_line", "must be one line")
    return _not_blank(text)


# Functions, because a Unicode pattern on every text would cost more to compile than all specs to validate. The patterns
# say the same to editors.
_NOT_BLANK: Final[dict[str, Any]] = {"pattern": r"\S"}

Line: TypeAlias = Annotated[
    str,
    Field(title="line of text", max_length=300, json_schema_extra={"pattern": r"^[^\n]*\S[^\n]*$(?!\n)"}),
    AfterValidator(_one_line),
]
"""A text of one line."""

Prose: TypeAlias = Annotated[
    str, Field(title="text", max_length=6000, json_schema_extra=_NOT_BLANK), AfterValidator(_not_blank)
]
"""A text of one or more paragraphs."""

ErrorCode: TypeAlias = Annotated[
    str, Field(title="error", max_length=2000, json_schema_extra=_NOT_BLANK), AfterValidator(_not_blank)
]
"""What a failing call reports. May be long and of many lines, as real errors are."""

Limit: TypeAlias = Annotated[int, Field(title="limit", ge=0, le=1_000_000)]
"""The limit of a budget."""


def _condition(value: object) -> object:
    if not isinstance(value, str | bool):
        raise PydanticCustomError("wrong_type", "must be a condition: a text, `true` or `false`")
    return value


# Asked before the union is tried: pydantic reports one fault of a union once for each of its members.
ConditionText: TypeAlias = Annotated[str | bool, Field(title="condition"), BeforeValidator(_condition)]
"""A condition as it is written; `true` and `false` are conditions too."""


def _amount(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise PydanticCustomError("wrong_type", "must be a whole number, or a fact that is one, such as `call.bytes`")
    return value


Amount: TypeAlias = Annotated[int | str, Field(title="amount"), BeforeValidator(_amount)]
"""What a meter is charged."""


def _field_value(value: object) -> object:
    if isinstance(value, list | dict | float):
        raise PydanticCustomError("wrong_type", "must be a text, a whole number, `true`, `false` or `null`")
    return value


FieldValue: TypeAlias = Annotated[
    str | int | bool | None, Field(title="value of a field"), BeforeValidator(_field_value)
]
"""The value of a field that does not belong in a record."""


def _whole_number(value: object) -> object:
    if isinstance(value, bool | float):
        raise PydanticKnownError("int_type")
    return value


def _truth(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise PydanticKnownError("bool_type")
    return value


# A choice is compared with `==`, and to Python 1, 1.0 and true are equal.
LanguageVersion: TypeAlias = Annotated[Literal[1], BeforeValidator(_whole_number)]
"""The version of the language of specs."""

Yes: TypeAlias = Annotated[Literal[True], BeforeValidator(_truth)]
"""What a key holds that is there or not."""

Payload: TypeAlias = Annotated[Any, Field(title="any data")]
"""Data that a tool returns, as JSON."""
