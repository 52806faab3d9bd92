"""`python -m reference.pages` writes the generated pages and drawings of `docs/`."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

from reference.pages import drawings, how_to, mistakes, rules
from reference.scenario import HERE

DOCS = HERE.parent / "docs"


def generated() -> Iterator[tuple[pathlib.Path, str]]:
    """Every generated file and its content."""
    yield DOCS / "rules.md", rules.page()
    yield DOCS / "how-to.md", how_to.page()
    yield DOCS / "mistakes.md", mistakes.page()
    for name, drawing in drawings.DRAWINGS.items():
        yield DOCS / "drawings" / f"{name}.svg", drawings.svg(drawing)


if __name__ == "__main__":
    for path, text in generated():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"wrote {path}")
