"""A page for every code that a finding can have. The pages themselves are Markdown, in `docs/codes/`."""

from labspec.codes.page import SUBJECTS, Page, known_codes, page_folder, read_page
from labspec.codes.terminal import list_pages, show_page

__all__ = ["SUBJECTS", "Page", "known_codes", "list_pages", "page_folder", "read_page", "show_page"]
