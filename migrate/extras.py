"""Writes the commands that install the optional packages: no index has them yet."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import shlex
import urllib.parse
import urllib.request

_ROOT = pathlib.Path(__file__).resolve().parents[1]


def install_line(extra: str = "verify") -> str:
    """The command that installs them, from where this package was installed.

    Args:
      extra: what pyproject.toml calls them together.
    """
    source = _find_checkout() or _find_installed_source()
    if source is None:
        return f"pip install '.[{extra}]' in a checkout of tf1to2"
    return f"pip install {shlex.quote(f'{source}[{extra}]')}"


def write_runtime_install_line() -> str:
    """The command that installs what results of `--runtime package` import."""
    return f"pip install {shlex.quote(str(_ROOT / 'migrate' / 'runtime'))}"


def _find_checkout() -> pathlib.Path | None:
    """The checkout that this module is in, if it is in one."""
    return _ROOT if (_ROOT / "pyproject.toml").is_file() else None


def _find_installed_source() -> pathlib.Path | None:
    """Finds the path from which pip installed this package, if it still exists."""
    try:
        distribution = importlib.metadata.distribution("tf1to2")
        said = json.loads(distribution.read_text("direct_url.json") or "{}")
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError):
        return None
    url = urllib.parse.urlsplit(str(said.get("url", "")))
    if url.scheme != "file":
        return None
    path = pathlib.Path(urllib.request.url2pathname(url.path))
    return path if path.exists() else None
