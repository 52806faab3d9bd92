"""`# tf1to2: ignore[...]` hides a finding, and never half a program or a name of TensorFlow 1."""

from __future__ import annotations

import ast
import json
import pathlib
import re
from collections.abc import Iterable, Mapping

import pytest

from migrate import outcomes
from migrate.compiler import migrate_text
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.ignoring import read_ignored
from migrate.options import Options
from migrate.outcomes import Status
from migrate.report.summary import (
    IGNORED,
    Action,
    Run,
    Summary,
    select_shown,
    spell_reason,
    summarise,
)
from migrate.report.triage import explain_block, triage
from migrate.run import run_programs
from reference.pages.cases import cases

CASES = cases()
_COMMENT = re.compile(r"  # tf1to2: ignore\[[^\]]*\]")
SESSION = (
    "import tensorflow as tf\nwith tf.Session() as s:\n    print(s.run(tf.log(1.0)))\n"
)


def run(path: pathlib.Path, options: Options | None = None) -> list[FileResult]:
    found = run_programs([path], options or Options())
    return [result for program in found for result in program]


def ask(text: str, lines: Mapping[int, Iterable[str]]) -> str:
    """A text with comments that ask to be left alone; only where one can stand."""
    for line, codes in lines.items():
        rows = text.split("\n")
        rows[line - 1] += f"  # tf1to2: ignore[{', '.join(sorted(codes))}]"
        asked = "\n".join(rows)
        try:
            same = ast.dump(ast.parse(asked)) == ast.dump(ast.parse(text))
        except SyntaxError:
            continue  # A line that a backslash joins to the next one.
        if same and all(read_ignored(asked).asks(line, code) for code in codes):
            text = asked
    return text


def find_left(new: str) -> set[str]:
    """The codes of what is left of TensorFlow 1 in a result, without its comments."""
    bare = _COMMENT.sub("", new)
    again = migrate_text(bare)
    found = {f.code for f in again.findings if f.blocks}
    if again.text != bare:
        found |= {f.code for f in again.findings if f.outcome is Outcome.REWRITTEN}
    return found


def check(path: pathlib.Path, text: str, plain: Summary) -> list[Finding]:
    """Returns the shown findings of a file with comments; none of them may be lost."""
    path.write_text(text)
    results = run(path)
    summary = summarise(results)
    (result,) = results
    if result.status in (Status.REFUSED, Status.FAILED):
        assert not result.changed
        assert summary.exit_code
    else:
        new = result.new.decode() if result.changed else text
        mistakes = {f.code for f in result.findings if f.code.startswith("D")}
        assert find_left(new) <= mistakes
        if plain.exit_code:  # Only what its author accepts is gone.
            assert not any(f.blocks for f in plain.programs[0].results[0].findings)
    return select_shown(result)


@pytest.mark.parametrize("name", CASES)
def test_a_comment_leaves_no_half_program(name: str, tmp_path: pathlib.Path) -> None:
    case = CASES[name]
    path = tmp_path / "program.py"
    path.write_text(case.text)
    results = run(path)
    plain = summarise(results)
    found = results[0].findings
    own = {f.line: {case.code} for f in found if f.code == case.code}
    every: dict[int, set[str]] = {}
    for finding in found:
        every.setdefault(finding.line, set()).add(finding.code)
    for lines in (own, every):
        text = ask(case.text, lines)
        ignored = read_ignored(text)
        told = check(path, text, plain)
        assert not [
            f
            for f in told
            if ignored.asks_for(f)
            and f.outcome is not Outcome.FAILED
            and f.code not in (outcomes.PART, outcomes.HELD)
        ]


def test_the_check_notices_what_is_left() -> None:
    """Controls: a name that TensorFlow 2 lacks, and half a program."""
    assert find_left("y = tf.log(1.0)\n") == set()
    left = "import tensorflow as tf\ny = tf.log(1.0)  # tf1to2: ignore[T102]\n"
    assert find_left(left) == {"T102"}
    half = SESSION.replace("tf.log(1.0)", "compute_evaluate")
    assert find_left(half)
    assert not find_left("import tensorflow as tf\ny = tf.math.log(1.0)\n")


def _status(text: str, path: pathlib.Path) -> tuple[Status | None, int, set[str]]:
    path.write_text(text)
    results = run(path)
    (result,) = results
    codes = {f.code for f in select_shown(result)}
    return result.status, summarise(results).exit_code, codes


@pytest.mark.parametrize(
    "comment",
    [
        "# tf1to2: ignore[T102]",
        "# tf1to2:ignore[t102]",
        "# noqa  # tf1to2: ignore[T105, T102]",
        "# tf1to2: ignore[T]",
        "# tf1to2: ignore[T1]  because of the loss",
    ],
)
def test_a_name_that_tensorflow_2_lacks_is_not_left(
    comment: str, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "a.py"
    for statement in ("y = tf.log(3.0)  {}", "y = tf.log(\n    3.0)  {}"):
        text = (
            f"import tensorflow as tf\n{statement.format(comment)}\nx = tf.log(2.0)\n"
        )
        status, code, codes = _status(text, path)
        assert (status, code) == (Status.REFUSED, 1)
        assert "N117" in codes and "T102" not in codes
    # A control: another line's comment, and one in a string, ask for nothing here.
    for text in (
        f"import tensorflow as tf  {comment}\ny = tf.log(3.0)\n",
        f"import tensorflow as tf\ny = tf.log(3.0), '{comment}'\n",
    ):
        assert _status(text, path)[:2] == (Status.MIGRATED, 0)


def test_a_session_is_not_left_alone(tmp_path: pathlib.Path) -> None:
    text = SESSION.replace("as s:", "as s:  # tf1to2: ignore[S115]")
    status, code, codes = _status(text, tmp_path / "a.py")
    assert (status, code) == (Status.REFUSED, 1) and "N117" in codes
    lost = "import tensorflow as tf\ns = tf.Session()  # tf1to2: ignore[S120]\nuse(s)\n"
    status, code, codes = _status(lost, tmp_path / "a.py")
    assert (status, code) == (Status.REFUSED, 1) and "S120" not in codes


def test_what_tensorflow_2_has_is_left(tmp_path: pathlib.Path) -> None:
    """A name of compat.v1, a mistake that is not mended, a warning that is accepted."""
    path = tmp_path / "a.py"
    text = (
        "import tensorflow as tf\n"
        "x = tf.log(2.0)\n"
        "y = tf.compat.v1.log(3.0)  # tf1to2: ignore[T102]\n"
    )
    path.write_text(text)
    (result,) = run(path)
    assert result.status is Status.MIGRATED
    assert result.new.decode() == text.replace("tf.log", "tf.math.log")
    mended = (
        "import tensorflow as tf\n"
        "strategy = tf.distribute.MirroredStrategy()\n"
        "strategy.experimental_run_v2(print, args=(1,)){}\n"
    )
    path.write_text(mended.format(""))
    assert run(path)[0].changed
    path.write_text(mended.format("  # tf1to2: ignore[D108]"))
    results = run(path)
    assert not results[0].changed and summarise(results).exit_code == 0
    division = "import tensorflow as tf\nprint tf.log(2.0)\nz = f() / 2{}\n"
    for comment, expected in (("", 1), ("  # tf1to2: ignore[E011]", 0)):
        path.write_text(division.format(comment))
        results = run(path, Options(python2=True))
        assert results[0].status is Status.MIGRATED
        assert summarise(results).exit_code == expected


def test_a_comment_that_names_no_code_is_told(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    for comment, name in (("ignore", "no code"), ("ignore[NOPE]", "`NOPE`")):
        path.write_text(
            f"import tensorflow as tf\ny = tf.log(3.0)  # tf1to2: {comment}\n"
        )
        (result,) = run(path)
        assert result.status is Status.MIGRATED
        (lost,) = [f for f in result.findings if f.code == "E012"]
        assert name in lost.reason and lost.line == 2


def test_a_cell_has_its_own_comments(tmp_path: pathlib.Path) -> None:
    sources = ["import tensorflow as tf\n", "y = tf.log(1.0)  # tf1to2: ignore[T102]\n"]
    cells = [
        {"cell_type": "code", "metadata": {}, "source": s, "outputs": []}
        for s in sources
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})
    )
    (result,) = run(path)
    assert result.status is Status.REFUSED and not result.changed
    assert {(f.code, f.cell) for f in select_shown(result)} == {("N117", 1)}


def test_what_is_ignored_is_the_reason_only_if_nothing_else_is(
    tmp_path: pathlib.Path,
) -> None:
    path = tmp_path / "a.py"
    ignored = "x = tf.contrib.lookup.HashTable  # tf1to2: ignore[T111]\n"
    for more, line in (("", 2), ("y = tf.contrib.lookup.HashTable\n", 3)):
        path.write_text(f"import tensorflow as tf\n{ignored}{more}")
        results = run(path)
        (program,) = outcomes.list_programs(results)
        assert program.reason is not None and program.reason[1].line == line
        assert (IGNORED in spell_reason(program)) is (line == 2)
        found = triage(Run(results, Action.DRY_RUN))
        assert (IGNORED in explain_block(found, found.entries[0])) is (line == 2)
