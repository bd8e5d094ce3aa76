"""A course repository from nothing: `name_course`, then `render_course`, then `create`.

This is no part of the pipeline from a spec to a student repository. It makes the folder in which specs are written.
"""

from labspec.new.course import render_course
from labspec.new.create import check_is_free, create
from labspec.new.name import CourseName, NameRefused, name_course

__all__ = ["CourseName", "NameRefused", "check_is_free", "create", "name_course", "render_course"]
