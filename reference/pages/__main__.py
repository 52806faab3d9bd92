"""`python -m reference.pages` writes the generated pages and drawings of `docs/`."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable, Iterator

from reference.pages import (
    demo_picture,
    drawings,
    gallery,
    how_to,
    mistakes,
    rules,
    screens,
)
from reference.scenario import HERE

DOCS = HERE.parent / "docs"


def generated() -> Iterator[tuple[pathlib.Path, Callable[[], str]]]:
    """Every generated file, and what writes its text."""
    yield DOCS / "rules.md", rules.write_entry
    for name in rules.name_pages():
        yield DOCS / "rules" / name, functools.partial(rules.write_page, name)
    yield DOCS / "how-to.md", how_to.write_entry
    for name in how_to.name_pages():
        yield DOCS / "how-to" / name, functools.partial(how_to.write_page, name)
    yield DOCS / "gallery.md", gallery.write_entry
    for name in gallery.PROGRAMS:
        yield (
            DOCS / "gallery" / f"{name}.md",
            functools.partial(gallery.write_page, name),
        )
    yield DOCS / "mistakes.md", mistakes.page
    for name, drawing in drawings.DRAWINGS.items():
        path = DOCS / "drawings" / f"{name}.svg"
        yield path, functools.partial(drawings.svg, drawing)
    yield DOCS / "pictures" / "demo.svg", demo_picture.write_picture
    yield DOCS / "pictures" / "demo-narrow.svg", demo_picture.write_narrow_picture
    yield DOCS / "pictures" / "check.svg", screens.write_check
    yield DOCS / "pictures" / "diff.svg", screens.write_diff


if __name__ == "__main__":
    files = dict(generated())
    for path, write in files.items():
        path.parent.mkdir(exist_ok=True)
        text = write()
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path}")
    directories = {path.parent for path in files} - {DOCS}
    for old in sorted({p for d in directories for p in d.glob("*.md")} - set(files)):
        old.unlink()
        print(f"removed {old}")
