"""`tf1to2 demo` and `tf1to2` alone: what a newcomer sees first."""

from __future__ import annotations

import pathlib

import click.testing
import pytest

from migrate import demo_command
from migrate.cli import main
from migrate.terminal_diff import side_by_side
from reference.verify.verdict import Outcome
from tests.verify.support import copied, migrated, unproven, verified


def _run(*arguments: str) -> str:
    done = click.testing.CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_demo_shows_both_programs_whole_and_what_is_next() -> None:
    shown = _run("demo")
    lines = shown.splitlines()
    width = lines[0].index("|") + 2
    left = [line[: width - 2].rstrip() for line in lines[2:]]
    right = [line[width:].rstrip() for line in lines[2:]]
    program = demo_command.read_program()
    assert program.count("\n") == 40
    cut = width - 4  # A longer line is cut.
    for line in program.splitlines():
        assert any(line[:cut] == there[:cut] for there in left), line
    assert "    replicas.run(run_worker)" in right
    assert "tf1to2 check PATH" in shown.split("Next")[1]
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


def test_side_by_side_pairs_lines_and_cuts_long_ones() -> None:
    shown = list(side_by_side("a\nb\nc" * 2, "a\nB\nc" * 2, 23))
    assert shown[2] == "a          | a"
    long = list(side_by_side("x" * 30, "y", 23))[2]
    assert long == "xxxxxxxxx… | y         ".rstrip()


def test_alone_it_says_what_is_here(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "tf1to2 demo" in _run()
    (tmp_path / "train.py").write_text("import tensorflow as tf\nprint(tf.log(2.))\n")
    (tmp_path / "model.py").write_text("import tensorflow as tf\nX = 1\n")
    (tmp_path / "other.py").write_text("print(1)\n")
    shown = _run()
    assert shown.startswith(
        "3 Python files and notebooks here; 2 of them name TensorFlow, 1 of which"
    )
    assert "tf1to2 migrate train.py --diff" in shown
