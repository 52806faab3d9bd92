"""A small core in the compiler's place: what is around it is tested apart from it."""

from __future__ import annotations

import os
import re

from migrate import emitted
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options

_LOG = re.compile(r"\btf\.log\(")


def rename(text: str, options: Options, filename: str) -> Migration:
    """`tf.log` becomes `tf.math.log`; a few other words stand for a core's troubles."""
    if "tf.internal_error" in text:
        raise KeyError("planted")
    if "tf.too_deep" in text:
        raise RecursionError
    if "tf.kills_its_process" in text:
        os._exit(11)
    findings = []
    for number, line in enumerate(text.split("\n"), 1):
        for found in _LOG.finditer(line):
            column = len(line[: found.start()].encode()) + 1
            findings.append(
                _finding(number, column, "T102", Outcome.REWRITTEN, "tf.log")
            )
        if "tf.Session" in line:
            findings.append(_finding(number, 1, "S120", Outcome.REFUSED, "tf.Session"))
        if "tf.zeros" in line:
            findings.append(_finding(number, 1, "T101", Outcome.KEPT, "tf.zeros"))
        if "tf.gate" in line:
            findings.append(_finding(number, 1, "G009", Outcome.FAILED, ""))
    new = _LOG.sub("tf.math.log(", text)
    if "tf.unstable" in text:
        new += "# again\n"
    if "tf.joins_cells" in text:
        new = re.sub(r"^# %% tf1to2 cell", "  # %% tf1to2 cell", new, flags=re.M)
    if "tf.needs_import" in text and "import tf_keras" not in new:
        new = f"import tf_keras\n{new}"
    support = (
        emitted.list_files("training_session") if "tf.needs_session" in text else ()
    )
    return Migration(new, tuple(findings), support)


def _finding(
    line: int, column: int, code: str, outcome: Outcome, symbol: str
) -> Finding:
    recipe = "Do it\nby hand." if outcome is Outcome.REFUSED else ""
    return Finding(
        line, column, code, outcome, symbol, f"told by {code} | `so`", recipe
    )
