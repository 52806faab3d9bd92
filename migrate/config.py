"""`[tool.tf1to2]` of the nearest pyproject.toml."""

from __future__ import annotations

import dataclasses
import pathlib
import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS = {"select", "ignore", "exclude", "strategy", "jobs"}


class ConfigError(ValueError):
    """The configuration cannot be understood."""


@dataclasses.dataclass(frozen=True)
class Config:
    """Defaults for the command's options."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strategy: str = "auto"
    jobs: int = 0


def load(start: pathlib.Path) -> Config:
    """The configuration for a path.

    Raises:
      ConfigError: an unknown key, or a file that is not TOML.
    """
    start = start.resolve()
    for directory in [start, *start.parents]:
        file = directory / "pyproject.toml"
        if file.is_file():
            try:
                data = tomllib.loads(file.read_text("utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise ConfigError(f"{file}: {error}") from None
            table: dict[str, Any] = data.get("tool", {}).get("tf1to2", {})
            unknown = set(table) - _KEYS
            if unknown:
                raise ConfigError(f"{file}: unknown key {sorted(unknown)[0]!r}")
            values: dict[str, Any] = {
                k: tuple(v) if isinstance(v, list) else v for k, v in table.items()
            }
            return Config(**values)
    return Config()
