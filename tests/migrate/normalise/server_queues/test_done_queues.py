"""Parameter servers that end when their workers say so (C110), and queues that do more."""

from __future__ import annotations

import pathlib
import sys
import textwrap

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes
from tests.migrate.frontends.sessions.test_programs import ENVIRONMENT

PROGRAMS = pathlib.Path(__file__).parents[3] / "programs" / "done_queues"
SPELLINGS = sorted(p for p in PROGRAMS.glob("*.py") if p.stem != "__init__")


def _refusals(text: str) -> dict[str, str]:
    return {
        f.code: f.reason
        for f in migrate_text(text).findings
        if f.outcome is Outcome.REFUSED
    }


@pytest.mark.parametrize("path", SPELLINGS, ids=lambda p: p.stem)
def test_every_spelling_is_read(path: pathlib.Path) -> None:
    old = path.read_text()
    new = migrate_text(old)
    assert {f.outcome for f in new.findings} == {Outcome.REWRITTEN, Outcome.KEPT}
    assert "C110" in {f.code for f in new.findings}
    assert new.text.count("training_session.serve_until_done(server)") == 1
    assert "ends_servers=True" in new.text
    assert "Queue(" not in new.text and "enq_ops" not in new.text
    # What the server says when it has waited is said still.
    assert 'print("ps %d: quitting"' in new.text


def _written(text: str, directory: pathlib.Path) -> pathlib.Path:
    new = migrate_text(text)
    directory.mkdir()
    beside.write(directory, new.text)
    (directory / "program.py").write_text(new.text)
    return directory / "program.py"


def _run(
    python: str,
    program: pathlib.Path,
    out: pathlib.Path,
    *,
    ps: int = 2,
    workers: int = 2,
    servers_end: bool = True,
) -> dict[str, tuple[int | None, list[str]]]:
    """Each task's exit code, and what it says that begins with "ps"."""
    ended = processes.run_tasks(
        python,
        program,
        [],
        out,
        ps=ps,
        workers=workers,
        environment=ENVIRONMENT,
        command_line=lambda *task: [
            *processes.flag_arguments(*task),
            f"--dir={out}",
        ],
        # TensorFlow 1's server answers until the interpreter has ended.
        preloaded=python == sys.executable,
        servers_end=servers_end,
    )
    return {
        e.task: (e.code, [x for x in e.output.split("\n") if x.startswith("ps ")])
        for e in ended
    }


def test_the_servers_end_as_they_did(tf1: str, tmp_path: pathlib.Path) -> None:
    """One of each: a session of TF1 may wait for ever for another task that has ended."""
    old = PROGRAMS / "final_ops_hook.py"
    new = _written(old.read_text(), tmp_path / "program")
    before = _run(tf1, old, tmp_path / "tf1", ps=1, workers=1)
    after = _run(sys.executable, new, tmp_path / "tf2", ps=1, workers=1)
    assert before == after
    assert before["ps-0"] == (0, ["ps 0 received done 0", "ps 0: quitting"])


def test_the_servers_end_when_all_workers_have(tmp_path: pathlib.Path) -> None:
    new = _written((PROGRAMS / "final_ops_hook.py").read_text(), tmp_path / "program")
    ended = _run(sys.executable, new, tmp_path / "out")
    # What TensorFlow 1.15.5 printed with two workers that ended together.
    assert ended["ps-1"] == (
        0,
        ["ps 1 received done 0", "ps 1 received done 1", "ps 1: quitting"],
    )


def test_nobody_else_ends_them(tmp_path: pathlib.Path) -> None:
    """The fault that the test above must see: a coordinator that does not tell them."""
    new = _written(
        (PROGRAMS / "session_of_its_own.py").read_text(), tmp_path / "program"
    )
    text = new.read_text()
    new.write_text(text.replace(", ends_servers=True", ""))
    assert new.read_text() != text
    ended = _run(sys.executable, new, tmp_path / "out", servers_end=False)
    assert ended["ps-0"] == ended["ps-1"] == (None, [])
    assert ended["worker-1"][0] == 0


PLAIN = (PROGRAMS / "session_of_its_own.py").read_text()
DEQUEUES = "            sess.run(queue.dequeue())\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        # A value that is read is data, not the end of a worker.
        (DEQUEUES, "            n = sess.run(queue.dequeue())\n", "something else"),
        (DEQUEUES, "            sess.run([queue.dequeue(), w])\n", "something else"),
        # The server serves on.
        ("        print(\"ps %d: quit", "        server.join()\n        print(\"ps %d: quit",
         "for ever"),
        # A barrier of the workers before they train.
        ("        rng = ", "        with tf.Session(server.target) as sess:\n"
         "            sess.run(create_done_queue(0).dequeue())\n        rng = ",
         "others than parameter servers"),
        ('"/job:ps/task:%d" % i', '"/job:worker/task:%d" % i',
         "not on a parameter server"),
        ("                sess.run(op)\n", "                sess.run(op)\n"
         "            print(len(enq_ops))\n", "something else"),
        ("                sess.run(op)\n", "                sess.run(op)\n"
         "                print('told')\n", "something else"),
        ('    """The queue of the i', '    sess.run(i)\n    """The queue of the i',
         "does more"),
    ],
)  # fmt: skip
def test_a_queue_that_does_more_is_refused(old: str, new: str, reason: str) -> None:
    text = PLAIN.replace(old, new, 1)
    assert text != PLAIN
    assert reason in _refusals(text)["C140"]


def test_in_synchronous_training_there_is_nothing_to_serve() -> None:
    text = PLAIN.replace(
        "            train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(",
        textwrap.dedent(
            """\
            optimizer = tf.train.SyncReplicasOptimizer(
                tf.train.MomentumOptimizer(0.05, 0.9),
                replicas_to_aggregate=len(worker_hosts))
            train_op = optimizer.minimize(
            """
        )
        .replace("\n", "\n            ")
        .replace("optimizer =", "            optimizer =", 1)
        .rstrip(),
    ).replace("last_step=30)]", "last_step=30), optimizer.make_session_run_hook(True)]")
    new = migrate_text(text)
    assert {f.outcome for f in new.findings} == {Outcome.REWRITTEN, Outcome.KEPT}
    assert "training_session.leave(" in new.text
    assert "serve_until_done" not in new.text
