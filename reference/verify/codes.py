"""The tool's rules that touch what two programs differ in."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

_KEPT = ("kept",)


def touching(program: pathlib.Path, places: set[str]) -> list[str]:
    """Sentences on the rules that rewrite these lines of the original.

    Args:
      places: "file:line" in the original's directory.
    """
    lines = {
        int(line)
        for file, _, line in (place.rpartition(":") for place in places)
        if line.isdigit() and pathlib.Path(file).name == program.name
    }
    found: dict[str, set[int]] = {}
    titles: dict[str, str] = {}
    for finding in _findings(program):
        line, code = finding.get("line"), finding.get("code")
        if line in lines and finding.get("outcome") not in _KEPT and code:
            found.setdefault(code, set()).add(line)
            titles[code] = str(finding.get("reason") or finding.get("symbol") or "")
    return [
        f"touched by {code}, line {', '.join(map(str, sorted(at)))}"
        + (f": {titles[code]}" if titles[code] else "")
        + f" (tf1to2 rule {code})"
        for code, at in sorted(found.items())
    ]


def _findings(program: pathlib.Path) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "report.json"
        subprocess.run(
            [
                *(sys.executable, "-m", "tf1to2", "migrate", "--quiet"),
                *("--jobs", "1", "--report", str(path), str(program)),
            ],
            capture_output=True,
            timeout=300,
        )
        try:
            data = json.loads(path.read_text())
        except (OSError, json.JSONDecodeError):
            return []
    return [f for file in data.get("files", []) for f in file.get("findings", [])]
