"""Checks that modules beside programs have what all programs of a directory need."""

from __future__ import annotations

import os
import pathlib

from click.testing import CliRunner

from migrate import cli
from migrate.beside import files

SESSION = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_sum(tf.layers.dense(x, 2))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]}))
"""
SAVES = SESSION + '    saver.save(sess, "model")\n'
WRITES = SESSION.replace(
    "with tf", 'tf.summary.scalar("loss", loss)\nall_ = tf.summary.merge_all()\nwith tf'
) + (
    '    writer = tf.summary.FileWriter("logs")\n'
    "    writer.add_summary(sess.run(all_, {x: [[1.0, 2.0, 3.0]]}), 1)\n"
    "    writer.close()\n"
)


def _run(*arguments: str | os.PathLike[str], code: int = 0) -> str:
    done = CliRunner().invoke(cli.main, ["migrate", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def _beside(directory: pathlib.Path) -> dict[str, bytes]:
    return files.find_present(directory)


def _texts(directory: pathlib.Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*.py"))
    }


def test_one_more_program_adds_to_what_the_others_have(tmp_path: pathlib.Path) -> None:
    for name in ("both", "in_turn"):
        (tmp_path / name).mkdir()
    one_by_one = tmp_path / "in_turn"
    (one_by_one / "a.py").write_text(SAVES)
    _run("--write", one_by_one)
    first = _beside(one_by_one)
    _run("--write", one_by_one)
    assert _beside(one_by_one) == first  # A second run changes nothing.
    (one_by_one / "b.py").write_text(WRITES)
    shown = _run("--diff", one_by_one)
    assert "+from .summaries import SummaryWriter" in shown
    assert "+++ a/" not in shown and "-class" not in shown
    _run("--write", one_by_one)
    for name, text in (("a.py", SAVES), ("b.py", WRITES)):
        (tmp_path / "both" / name).write_text(text)
    _run("--write", tmp_path / "both")
    assert _texts(tmp_path / "both") == _texts(one_by_one)
    assert b"class SummaryWriter" not in b"".join(first.values())


def test_a_copy_has_what_is_written_in_place(tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(SAVES)
    _run("--output", tmp_path / "copy", tree)
    _run("--write", tree)
    assert _texts(tmp_path / "copy") == _texts(tree)


def test_what_its_user_has_changed_is_not_overwritten(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_text(SAVES)
    _run("--write", tmp_path)
    path = tmp_path / "training_session" / "checkpoints.py"
    path.write_bytes(path.read_bytes() + b"\nMINE = 1\n")
    (tmp_path / "b.py").write_text(WRITES)
    output = _run("--write", tmp_path, code=2)
    assert "training_session/checkpoints.py stands beside it" in output
    assert (tmp_path / "b.py").read_text() == WRITES
    assert path.read_bytes().endswith(b"MINE = 1\n")


def test_a_helper_beside_it_is_read_though_it_is_not_named(
    tmp_path: pathlib.Path,
) -> None:
    """Only one file is migrated; what another one does with its objects counts."""
    (tmp_path / "a.py").write_text(
        SAVES.replace(
            "    saver.save", "    import later\n    later.keep(saver)\n    saver.save"
        )
    )
    (tmp_path / "later.py").write_text(
        "def keep(saver):\n    print(saver.last_checkpoints)\n"
    )
    _run("--write", tmp_path / "a.py")
    name = "training_session/checkpoints.py"
    assert b"def last_checkpoints(" in _beside(tmp_path)[name]
    # A control: without it.
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "a.py").write_text(SAVES)
    _run("--write", tmp_path / "alone" / "a.py")
    assert b"def last_checkpoints(" not in _beside(tmp_path / "alone")[name]
