"""What mkdocs does beside its configuration; named in mkdocs.yml."""

from __future__ import annotations

import pathlib
import posixpath
import re
import sys
from typing import Any

# `mkdocs` does not look in the directory that it is started in.
sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from migrate.codes import CODES  # noqa: E402

# Code, links and inline code are matched first, and left as they are.
_CODE = re.compile(
    r"(?ms)^ *```.*?^ *```|`[^`]*`|\[[^\]]*\]\([^)]*\)|^#.*?$|<[^>]*>|\b([A-Z]\d{3})\b"
)
# An option, alone or with a value, which a browser would break behind its hyphens.
_OPTION = re.compile(r"<code>(--?[\w-]+(?: [\w.]+)?)</code>")


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
    """Links each code of a page to the code's own page."""
    source = page.file.src_uri
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
    """Marks names of options, which the style sheet keeps on one line."""
    return _OPTION.sub(r'<code class="option">\1</code>', html)
