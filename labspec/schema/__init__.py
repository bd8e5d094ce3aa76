"""The language of specs as a JSON Schema, for editors: `labspec schema` prints it, and the reference is made of it.

The words and the limits come from the models in `labspec/spec/`, so the schema can't say anything else than they do.
"""

from labspec.schema.document import DIALECT, TITLE, schema_text, spec_schema

__all__ = ["DIALECT", "TITLE", "schema_text", "spec_schema"]
