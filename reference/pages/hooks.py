"""What mkdocs does beside its configuration; named in mkdocs.yml."""

from __future__ import annotations

import pathlib
from typing import Any


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
