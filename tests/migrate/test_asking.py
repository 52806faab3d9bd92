"""`migrate --write --interactive`: what is asked, and what is written then."""

from __future__ import annotations

import pathlib

import click.testing
import pytest

from migrate.cli import main
from tests.migrate.test_interrupts import PROGRAMS

OLD = "import tensorflow as tf\nprint(tf.log(2.))\n"
NAMES = ("a.py", "b.py", "c.py")


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in NAMES:
        (tmp_path / name).write_text(OLD)
    return tmp_path


def _answer(tree: pathlib.Path, text: str, code: int) -> str:
    arguments = ["migrate", str(tree), "--write", "--interactive"]
    done = click.testing.CliRunner().invoke(main, arguments, input=text)
    assert done.exit_code == code, done.output
    return done.output


def _migrated(tree: pathlib.Path) -> list[str]:
    return [p.name for p in sorted(tree.glob("*.py")) if p.read_text() != OLD]


@pytest.mark.parametrize("short", [False, True])
def test_words_and_first_letters_are_answers(tree: pathlib.Path, short: bool) -> None:
    words = ["no", "Diff", "YES", "quit"]
    answers = "\n".join(word[0] if short else word for word in words)
    shown = _answer(tree, answers + "\n", 1)
    assert _migrated(tree) == ["b.py"]
    assert f"Write {tree}/a.py? [y]es, [n]o, [d]iff, [a]ll, [q]uit: " in shown
    assert "+print(tf.math.log(2.))" in shown and "1 changed" in shown
    told = "Not written, because you did not accept them: "
    assert f"{told}{tree}/a.py, {tree}/c.py" in shown
    _answer(tree, "a\n" if short else "all\n", 0)
    assert _migrated(tree) == ["a.py", "b.py", "c.py"]


def test_another_answer_is_asked_again(tree: pathlib.Path) -> None:
    shown = _answer(tree, "perhaps\nyep\n\ny\nq\n", 1)
    assert "answer with yes, no, diff, all, quit or a first letter" in shown
    assert _migrated(tree) == ["a.py"]


def test_without_an_answer_nothing_is_written(tree: pathlib.Path) -> None:
    """The questions are asked first, so an interrupt at the third writes none of them."""
    shown = _answer(tree, "yes\nyes\n", 2)
    assert "Interrupted after 0 of 3 files" in shown
    assert _migrated(tree) == []


def test_the_modules_are_those_of_accepted_programs(tmp_path: pathlib.Path) -> None:
    texts = {name: program.read_text() for name, (program, _) in PROGRAMS.items()}
    for accepted in PROGRAMS:
        directory = tmp_path / accepted.removesuffix(".py")
        directory.mkdir()
        for name, text in texts.items():
            (directory / name).write_text(text)
        answers = "".join("ny"[name == accepted] + "\n" for name in PROGRAMS)
        _answer(directory, answers, 1)
        there = {p.name for p in directory.iterdir()} - set(PROGRAMS)
        assert there == PROGRAMS[accepted][1]


def test_of_a_large_program_a_few_files_are_named(tmp_path: pathlib.Path) -> None:
    names = [f"m{number}" for number in range(6)]
    for name in names:
        (tmp_path / f"{name}.py").write_text(OLD)
    (tmp_path / "train.py").write_text(OLD + f"import {', '.join(names)}\n")
    shown = _answer(tmp_path, "no\n", 1).split("? [y]es")[0]
    assert shown.endswith("and 4 more files") and shown.count(".py") == 3
