"""A code's page for a terminal: the page of the documentation, without its markup."""

from __future__ import annotations

import functools
import importlib.resources
import pathlib
import re
import shutil
import textwrap
from collections.abc import Iterator

from migrate.codes import CODES

_ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where an installation has the pages; a checkout has them in docs/rules.
_INSTALLED = "rule_pages"
_WIDTH = 88
_NARROWEST = 40
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ADDRESS = re.compile(r"<(https://[^>]+)>")
_EMPHASIS = re.compile(r"(?<![\\\w*])\*([^*\n]+)\*(?!\w)")
# A program, and what the recipe or the tool makes of it.
_PAIR = re.compile(
    r"```python\n(.*?)\n```\n\n[^`\n]*(?:`[^`\n]+`[^`\n]*)?:\n\n```python\n(.*?)\n```",
    re.S,
)
_ESCAPED = re.compile(r"\\([*_<])")


def read_page(code: str) -> str:
    """The text of a code's page.

    Raises:
      FileNotFoundError: there is none.
    """
    installed = importlib.resources.files("migrate").joinpath(_INSTALLED)
    name = f"{code}.md"
    if installed.is_dir():
        return installed.joinpath(name).read_text("utf-8")
    return (_ROOT / "docs" / "rules" / name).read_text("utf-8")


@functools.cache
def read_example(code: str) -> tuple[str, str]:
    """A rule's example before and after: the row's own, or the first of its page.

    Both are empty if the rule has none.
    """
    row = CODES[code]
    if row.before:
        return row.before, row.after
    page = read_page(code).partition("\n## Example\n")[2].partition("\n## ")[0]
    pair = _PAIR.search(page)
    return (pair[1], pair[2]) if pair else ("", "")


def show_page(text: str) -> Iterator[tuple[str, str]]:
    """The lines of a page, each with its role: "heading", "code" or ""."""
    blocks = re.split(r"^(```\w*\n.*?^```)$", text, flags=re.M | re.S)
    for number, block in enumerate(blocks):
        if number % 2:
            for line in block.split("\n")[1:-1]:
                yield f"    {line}".rstrip(), "code"
            yield "", ""
        else:
            yield from _show_prose(block)


def _show_prose(block: str) -> Iterator[tuple[str, str]]:
    for paragraph in re.split(r"\n{2,}", block.strip("\n")):
        lines = [x for x in paragraph.split("\n") if not x.startswith("<!--")]
        if lines and lines[0].startswith("#"):
            yield _strip_markup(lines.pop(0).lstrip("# ")), "heading"
            if not lines:
                continue
        if not any(line.strip() for line in lines):
            continue
        if lines[0].startswith("- "):
            for line in lines:
                yield f"    {_strip_markup(line[2:])}", ""
        elif lines[0].startswith(">"):
            for line in " ".join(x[1:].strip() or "\n" for x in lines).split("\n"):
                yield from _wrap(_strip_markup(line.strip()), "    ")
        else:
            yield from _wrap(_strip_markup(" ".join(lines)))
        yield "", ""


def _wrap(text: str, indent: str = "") -> Iterator[tuple[str, str]]:
    columns = shutil.get_terminal_size((_WIDTH, 24)).columns
    for line in textwrap.wrap(
        text,
        max(_NARROWEST, min(_WIDTH, columns)),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ):
        yield line, ""


def _strip_markup(text: str) -> str:
    """A line without links, emphasis and backslashes; code keeps its backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    for place in range(0, len(parts), 2):
        part = _ADDRESS.sub(r"\1", _EMPHASIS.sub(r"\1", parts[place]))
        parts[place] = part
    return _ESCAPED.sub(r"\1", _LINK.sub(r"\1", "".join(parts)))
