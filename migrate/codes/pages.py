"""Returns the addresses of the pages of codes, which errors and findings name."""

from __future__ import annotations

# The documentation's address. `site_url` of mkdocs.yml is the same; a test compares them.
SITE = "https://tf1to2.readthedocs.io/en/latest/"


def locate_page(code: str) -> str:
    """The address of a code's page."""
    return f"{SITE}rules/{code}/"


def locate_rules() -> str:
    """The address of the page that leads to the page of every code."""
    return f"{SITE}rules/"
