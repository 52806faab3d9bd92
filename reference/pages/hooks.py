"""What mkdocs does beside its configuration; named in mkdocs.yml."""

from __future__ import annotations

import pathlib
from typing import Any


def on_config(config: Any) -> Any:
    """Leaves out of the navigation what is not written: pages come from several tools."""
    docs = pathlib.Path(config["docs_dir"])
    config["nav"] = [
        entry for entry in map(lambda e: _present(e, docs), config["nav"]) if entry
    ]
    return config


def _present(entry: dict[str, Any], docs: pathlib.Path) -> dict[str, Any] | None:
    ((title, value),) = entry.items()
    if isinstance(value, str):
        return entry if (docs / value).exists() else None
    kept = [inner for inner in (_present(e, docs) for e in value) if inner]
    return {title: kept} if kept else None
