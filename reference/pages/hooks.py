"""Extends mkdocs beyond its configuration; mkdocs.yml names these hooks."""

from __future__ import annotations

import pathlib
import posixpath
import re
import sys
from collections.abc import Callable
from typing import Any

# `mkdocs` does not look in the directory that it is started in.
sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from migrate.codes import CODES  # noqa: E402

# Code, links and inline code are matched first, and left as they are.
_CODE = re.compile(
    r"(?ms)^ *```.*?^ *```|`[^`]*`|\[[^\]]*\]\([^)]*\)|^#.*?$|<[^>]*>|\b([A-Z]\d{3})\b"
)
# What a browser would break behind a hyphen: an option in a line of code, alone or with
# a value, and a number as 2.2e-16.
_OPTION = re.compile(r"<code>(--?[\w-]+(?: [\w.]+)?)</code>")
_IN_CODE = re.compile(r"<code>([^<\n]+ --?[a-z][^<\n]*)</code>")
_NAME = re.compile(r"(?<!\S)--?[a-z][\w-]*")
_NUMBER = re.compile(r"(?<=>)[^<>]*\de-\d[^<>]*(?=<)")
_POWER = re.compile(r"\d[\d.]*e-\d+")
# A long name in a table breaks between its words, and nowhere else.
_CELL = re.compile(r"<td[ >].*?</td>", re.DOTALL)
_SHORT_CODE = re.compile(r"<code>([^<\n]{12,})</code>")
_BETWEEN_WORDS = re.compile(r"(?<=[._/])(?=[A-Za-z])|(?<=[a-z0-9])(?=[A-Z][a-z])")
_TITLE = re.compile(r"^# .*$", re.MULTILINE)
# The page that leads to the pages of a directory, which the navigation does not list.
_PARENTS = {
    "gallery": "Gallery",
    "how-to": "Idioms, before and after",
    "numerics": "Numerics",
    "programs": "Programs that are run",
}


def on_config(config: Any) -> Any:
    """Leaves out of the navigation what is not written: pages come from several tools."""
    docs = pathlib.Path(config["docs_dir"])
    config["nav"] = _keep_written(config["nav"], docs)
    return config


def _keep_written(entries: list[Any], docs: pathlib.Path) -> list[Any]:
    kept: list[Any] = []
    for entry in entries:
        if isinstance(entry, str):
            kept += [entry] if (docs / entry).exists() else []
            continue
        ((title, value),) = entry.items()
        if isinstance(value, str):
            kept += [entry] if (docs / value).exists() else []
        elif inner := _keep_written(value, docs):
            kept.append({title: inner})
    return kept


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links each code to its own page, and a page outside the navigation to its parent."""
    source = page.file.src_uri
    directory, _slash, rest = source.partition("/")
    if rest and directory in _PARENTS:
        up = f"[{_PARENTS[directory]}](../{directory}.md){{ .up }}"
        markdown = _TITLE.sub(lambda title: f"{title[0]}\n\n{up}\n", markdown, count=1)
    if source.startswith("rules/"):
        return markdown  # Written with links.

    def link(match: re.Match[str]) -> str:
        code = match[1]
        if code not in CODES:
            return match[0]
        address = posixpath.relpath(f"rules/{code}.md", posixpath.dirname(source))
        return f"[{code}]({address})"

    return _CODE.sub(link, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Marks options and numbers, which the style sheet keeps on one line."""

    def mark(pattern: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
        return lambda found: pattern.sub(
            lambda part: f'<span class="option">{part[0]}</span>', found[0]
        )

    html = _OPTION.sub(r'<code class="option">\1</code>', html)
    html = _IN_CODE.sub(mark(_NAME), html)
    return _NUMBER.sub(mark(_POWER), html)


def on_post_page(output: str, **_: Any) -> str:
    """Says where names in tables may be broken; last, so that the search has them whole."""

    def mark(code: re.Match[str]) -> str:
        return f"<code>{_BETWEEN_WORDS.sub('<wbr>', code[1])}</code>"

    return _CELL.sub(lambda cell: _SHORT_CODE.sub(mark, cell[0]), output)
