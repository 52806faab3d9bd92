"""`[tool.tf1to2]` of the nearest pyproject.toml that has it."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sys
from typing import Any

from migrate.options import ESTIMATORS, RUNTIMES, STRATEGIES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class ConfigError(ValueError):
    """The configuration cannot be understood."""


@dataclasses.dataclass(frozen=True)
class Config:
    """Defaults for the command's options.

    Attributes:
      select, ignore: codes, or what they begin with.
      exclude: patterns as in a .gitignore, from `directory`.
      strategy: one of `STRATEGIES`.
      estimators: one of `ESTIMATORS`.
      runtime: one of `RUNTIMES`.
      jobs: processes; 0 takes one per processor.
      directory: of the file that says so; None where no file does.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strategy: str = "auto"
    jobs: int = 0
    directory: pathlib.Path | None = None
    estimators: str = "fit"
    runtime: str = "beside"


_LISTS = ("select", "ignore", "exclude")


def load(start: pathlib.Path) -> Config:
    """The configuration for what lies in a directory.

    Raises:
      ConfigError: a file that is not TOML, an unknown key, or a wrong value.
    """
    start = start.resolve()
    for directory in [start, *start.parents]:
        file = directory / "pyproject.toml"
        if not os.path.isfile(file):
            continue
        try:
            data = tomllib.loads(file.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise ConfigError(f"{file}: {error}") from None
        table = data.get("tool", {}).get("tf1to2")
        if table is not None:
            try:
                return _read_config(table, directory)
            except ConfigError as error:
                raise ConfigError(f"{file}: [tool.tf1to2] {error}") from None
    return Config()


def _read_config(table: Any, directory: pathlib.Path) -> Config:
    if not isinstance(table, dict):
        raise ConfigError("is not a table")
    known = {*_LISTS, "strategy", "estimators", "runtime", "jobs"}
    for key, value in table.items():
        if key not in known:
            raise ConfigError(f"has the unknown key {key!r}; known are {sorted(known)}")
        if key in _LISTS and not (
            isinstance(value, list) and all(isinstance(v, str) for v in value)
        ):
            raise ConfigError(f"{key} is to be a list of strings")
    strategy, jobs = table.get("strategy", "auto"), table.get("jobs", 0)
    if strategy not in STRATEGIES:
        raise ConfigError(f"strategy is to be one of {', '.join(STRATEGIES)}")
    estimators = table.get("estimators", "fit")
    if estimators not in ESTIMATORS:
        raise ConfigError(f"estimators is to be one of {', '.join(ESTIMATORS)}")
    runtime = table.get("runtime", "beside")
    if runtime not in RUNTIMES:
        raise ConfigError(f"runtime is to be one of {', '.join(RUNTIMES)}")
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 0:
        raise ConfigError("jobs is to be a number of processes, or 0")
    select, ignore, exclude = (tuple(table.get(key, ())) for key in _LISTS)
    return Config(
        select, ignore, exclude, strategy, jobs, directory, estimators, runtime
    )
