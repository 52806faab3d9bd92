"""A baseline: what is known to be left, so that `check` fails only on what is new.

The file lists, for each path from its own directory, how often each refusal, failure and
mistake occurs by code and symbol; a path that is listed may hold TensorFlow 1. Lines are
not in it: an edit elsewhere in a file makes nothing new. Symbols that are rewritten are
not either: mending a refusal, which changes what becomes of them, makes nothing new.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from migrate import outcomes
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.report.paths import display_path

FORMAT = 1
_CONSEQUENCES = (outcomes.PART, outcomes.HELD)
_LOUD = (Outcome.REFUSED, Outcome.WARNED, Outcome.FAILED)
_Counts = Mapping[str, int]


class BaselineError(ValueError):
    """The file cannot be understood."""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A run beside a baseline.

    Attributes:
      results: the run's, with all that is known hidden.
      new: how many findings are not in the baseline, and files with TensorFlow 1.
      files: files with TensorFlow 1 that are not in it.
      failed: whether a file failed that is not known to fail.
      gone: how many of the baseline's findings do not occur any more.
    """

    results: list[FileResult]
    new: int
    files: tuple[pathlib.Path, ...]
    failed: bool
    gone: int


def load(file: pathlib.Path) -> dict[str, _Counts]:
    """Reads the known findings of a baseline.

    Raises:
      OSError: it cannot be read.
      BaselineError: it is none.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise BaselineError(f"{file}: format {data['format']} is not {FORMAT}")
        return {
            str(path): _rename_keys(counts) for path, counts in data["files"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, BaselineError):
            raise
        raise BaselineError(f"{file} is no baseline of tf1to2") from None


def save(file: pathlib.Path, results: Iterable[FileResult]) -> None:
    """Writes what a run found as the baseline.

    Raises:
      OSError: it cannot be written.
    """
    files: dict[str, Any] = {
        _name_result(file, result): dict(sorted(_count_findings(result).items()))
        for result in results
        if outcomes.find_status(result) is not None or _count_findings(result)
    }
    data = {"tool": "tf1to2", "format": FORMAT, "files": dict(sorted(files.items()))}
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def compare(
    file: pathlib.Path, known: Mapping[str, _Counts], results: Sequence[FileResult]
) -> Comparison:
    """Hides what a baseline knows, and counts what it does not."""
    compared = []
    new = 0
    files = []
    failed = False
    seen: dict[str, _Counts] = {}
    for result in results:
        name = _name_result(file, result)
        seen[name] = _count_findings(result)
        left = dict(known.get(name, {}))
        findings = []
        for finding in result.findings:
            if _counts(finding):
                key = _make_key(finding)
                if left.get(key, 0):
                    left[key] -= 1
                    finding = dataclasses.replace(finding, hidden=True)
                else:
                    new += not finding.hidden
                    failed = failed or finding.outcome is Outcome.FAILED
            elif name in known:
                finding = dataclasses.replace(finding, hidden=True)
            findings.append(finding)
        if name not in known and outcomes.find_status(result) is not None:
            files.append(result.path)
        compared.append(dataclasses.replace(result, findings=tuple(findings)))
    gone = sum(
        max(0, number - seen.get(name, {}).get(key, 0))
        for name, counts in known.items()
        for key, number in counts.items()
    )
    return Comparison(compared, new + len(files), tuple(files), failed, gone)


def _count_findings(result: FileResult) -> _Counts:
    return collections.Counter(_make_key(f) for f in result.findings if _counts(f))


def _counts(finding: Finding) -> bool:
    loud = finding.outcome in _LOUD or finding.unused
    return loud and finding.code not in _CONSEQUENCES


def _rename_keys(counts: Mapping[str, object]) -> _Counts:
    """The numbers of a path, under the codes of today: a baseline may be of an earlier version."""
    from migrate.codes import MERGED

    renamed: collections.Counter[str] = collections.Counter()
    for key, number in counts.items():
        code, space, symbol = str(key).partition(" ")
        renamed[f"{MERGED.get(code, code)}{space}{symbol}"] += int(str(number))
    return renamed


def _make_key(finding: Finding) -> str:
    return f"{finding.code} {finding.symbol}".rstrip()


def _name_result(file: pathlib.Path, result: FileResult) -> str:
    """A result's path from the baseline's directory, the same on every system."""
    path = os.path.relpath(os.path.abspath(result.path), file.absolute().parent)
    return display_path(pathlib.Path(path)).replace(os.sep, "/")
