"""Sentences of findings and rules in markup: what stands in backticks is code."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_SPAN = re.compile(r"`([^`\n]+)`")


def render_html(text: str) -> str:
    """A sentence as HTML."""
    return _join(text, escape, lambda code: f"<code>{escape(code)}</code>")


def render_markdown(text: str) -> str:
    """A sentence as Markdown, in which nothing outside of code is a tag."""

    def escape_tags(part: str) -> str:
        return part.replace("&", "&amp;").replace("<", "&lt;")

    return _join(text, escape_tags, lambda code: f"`{code}`")


def _join(text: str, prose: Callable[[str], str], code: Callable[[str], str]) -> str:
    parts = _SPAN.split(text)  # Prose, code, prose, ...
    return "".join(
        code(part) if number % 2 else prose(part) for number, part in enumerate(parts)
    )
