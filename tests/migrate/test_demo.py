"""`tf1to2 demo`: what a newcomer sees first."""

from __future__ import annotations

import pathlib
import re

import click.testing
import pytest

from migrate import demo_command
from migrate.cli import main
from migrate.compiler import migrate_text
from migrate.options import Options
from migrate.terminal_diff import show_both, wrap_code
from reference.verify.verdict import Outcome
from tests.verify.support import copied, migrated, unproven, verified


def _run(*arguments: str) -> str:
    done = click.testing.CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def _demo(width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    return _run("demo")


def _join(lines: list[str]) -> str:
    """Lines without what wrapping adds: spaces."""
    return re.sub(r"\s+", "", "".join(lines))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 119, 120, 140, 166, 250])
def test_every_line_of_both_programs_is_shown_whole(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = _demo(width, monkeypatch)
    lines = shown.split("\nThe proof")[0].splitlines()
    assert max(map(len, lines)) <= width and "…" not in shown
    before = demo_command.read_program()
    after = migrate_text(before, Options(), "train.py").text
    if width < 120:
        start, end = lines.index("TensorFlow 1"), lines.index("TensorFlow 2")
        left, right = lines[start + 2 : end], lines[end + 2 :]
    else:
        middle = lines[0].index("|")
        rows = [line.ljust(width) for line in lines[2:-1]]
        left = [line[: middle - 1] for line in rows]
        right = [line[middle + 1 :] for line in rows]
    assert _join(left) == _join(before.splitlines())
    assert _join(right) == _join(after.splitlines())


def test_the_demo_is_short_and_says_what_is_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = _demo(80, monkeypatch)
    program = demo_command.read_program()
    assert program.count("\n") == 40
    assert max(map(len, program.splitlines())) < 80
    # At 80 columns every line of the program, and of what is said, is one line.
    lines = shown.splitlines()
    assert set(program.splitlines()) <= set(lines)
    assert "    replicas.run(run_worker)" in lines
    assert "tf1to2 check PATH" in shown.split("Next")[1]
    assert max(map(len, shown.splitlines())) <= 80
    assert _run("demo", "--program") == program


@pytest.mark.parametrize("fault", [None, ("Optimizer(0.05)", "Optimizer(0.06)")])
def test_the_proof_can_be_made_again(
    fault: tuple[str, str] | None, tmp_path: pathlib.Path
) -> None:
    """The verdict that it shows, over fewer steps; a changed rate is noticed."""
    program = pathlib.Path(demo_command.__file__).with_name("demo") / "train.py"
    old = copied(program, tmp_path / "old")
    new = migrated(program, tmp_path / "new", fault)
    verdict = verified(old, new, tmp_path / "work", steps=15)
    expected = Outcome.DIFFERENT if fault else Outcome.EQUAL
    assert verdict.outcome is expected, unproven(verdict)
    told = "bit for bit; oracle TensorFlow 1.15.5"
    assert (told in verdict.line) is (fault is None)
    assert told in demo_command.read_proof()["verdict"]


def test_lines_are_paired_and_wrapped() -> None:
    text = "call(one, two)\nb\n"
    shown = list(show_both(text + "x = 1", text + "y = 2", 120))
    assert shown[2] == "call(one, two) | call(one, two)"
    assert shown[4:6] == ["x = 1          |", f"{'':<14} | y = 2"]
    assert wrap_code("    f(a, b, c, dddd, eeee, ffffffff)", 30) == [
        "    f(a, b, c, dddd, eeee,",
        "        ffffffff)",
    ]
    # Where little room is left, later pieces begin at the margin.
    assert wrap_code("    f(a, b, c, dddd, eeee)", 24) == [
        "    f(a, b, c, dddd,",
        "eeee)",
    ]
    assert wrap_code("x" * 50, 30) == ["x" * 30, "    " + "x" * 20]
