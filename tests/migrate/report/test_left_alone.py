"""Checks the effects of --select, --ignore and --notes."""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.outcomes import Status
from migrate.report import json_report, text
from migrate.report.summary import Action, Run, summarise
from migrate.results import write_program
from migrate.run import run_programs

SESSION = "import tensorflow as tf\n\nsess = tf.Session()\nprint(tf.log(2.0))\n"
MODEL = "import tensorflow as tf\nx = tf.log(2.0)\n"
PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
y = tf.log(x)
with tf.Session() as sess:
    print(sess.run(y, {x: [[1.0, 2.0, 3.0]]}))
other = tf.Session()
"""


def run(path: pathlib.Path, options: Options = Options()) -> list[FileResult]:  # noqa: B008
    return [result for program in run_programs([path], options) for result in program]


@pytest.mark.parametrize(
    "options", [Options(ignore=("S", "N")), Options(select=("T",)), Options()]
)
def test_refusals_decide_the_exit_code_whether_told_or_not(
    options: Options, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "a.py").write_text(SESSION)
    results = run(tmp_path, options)
    assert summarise(results).exit_code == 1
    report = json.loads(json_report.render(Run(results)))
    assert report["summary"]["exit_code"] == 1
    told = {f["code"] for f in report["files"][0]["findings"]}
    assert all(options.reports(code) for code in told)
    # Why, is told all the same, once.
    assert report["programs"][0]["reason"]["code"] == "S120"
    lines = list(text.write_findings(Run(results)))
    assert lines[0].endswith("a.py: refused (unchanged)")
    assert sum("S120" in line for line in lines) == 1


def test_refused_files_are_touched_only_where_notes_are_asked_for(
    tmp_path: pathlib.Path,
) -> None:
    path = tmp_path / "a.py"
    path.write_text(SESSION)
    assert not run(path)[0].changed
    (result,) = run(path, Options(notes=True))
    assert result.status is Status.REFUSED and result.changed
    write_program([result])
    lines = path.read_text().splitlines()
    (note,) = [line for line in lines if line not in SESSION.splitlines()]
    assert note.startswith("# TODO(tf1to2): S120 ")
    assert lines.index(note) == 2
    report = Run([result], Action.WRITE)
    assert list(text.write_files(report))[0].startswith(f"noted {path}: ")
    assert "0 changed; 1 noted; programs: 1 refused (unchanged)" in text.render(report)
    # Once, however often the tool runs; and no note where nothing is refused.
    assert not run(path, Options(notes=True))[0].changed
    path.write_text(MODEL)
    (result,) = run(path, Options(notes=True))
    assert result.status is Status.MIGRATED and not result.noted
    assert result.new == MODEL.replace("tf.log", "tf.math.log").encode()


def test_notes_of_a_notebook(tmp_path: pathlib.Path) -> None:
    sources = ["import tensorflow as tf\n", "print(1)\nsess = tf.Session()\n"]
    cells = [
        {"cell_type": "code", "metadata": {}, "source": s, "outputs": []}
        for s in sources
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})
    )
    assert not run(path)[0].changed
    (result,) = run(path, Options(notes=True))
    assert result.status is Status.REFUSED
    new = [cell["source"] for cell in json.loads(result.new)["cells"]]
    assert "".join(new[0]) == sources[0]
    lines = "".join(new[1]).splitlines()
    assert lines[1].startswith("# TODO(tf1to2): S120") and len(lines) == 3


def test_uses_of_a_refused_program_are_counted_not_listed(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "a.py").write_text(PROGRAM + "z = tf.log(1.0)\n" * 60)
    results = run(tmp_path)
    assert sum(f.outcome is Outcome.REFUSED for f in results[0].findings) > 60
    lines = list(text.write_findings(Run(results)))
    assert len(lines) == 3  # What became of it, the reason, and what to do.
    assert "N101" in lines[1]
