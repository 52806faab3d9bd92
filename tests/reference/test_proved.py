"""The public programs of docs/proved.md: how they are listed, brought and told of."""

from __future__ import annotations

import pathlib
import subprocess

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from migrate.support import mnist_input_data  # noqa: E402
from reference.proved import measuring, page, programs  # noqa: E402
from reference.proved.programs import CannotFetch, Program  # noqa: E402
from reference.verify.compare import Comparison  # noqa: E402
from reference.verify.rows import Row  # noqa: E402
from reference.verify.verdict import Outcome, Verdict  # noqa: E402
from tests import ledger

LISTED = programs.read_list()
# The reader shuffles with a seed of its own, which both readers have to be given.
TRAINS = """\
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets("M", one_hot=True)
x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.float32, [None, 10])
w = tf.Variable(tf.ones([784, 10]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
        images, labels = mnist.train.next_batch(10)
        session.run([train, loss], {x: images, y: labels})
"""


def test_the_list_is_large_and_names_commits() -> None:
    assert len(LISTED) >= 40
    assert len({program.repository for program in LISTED}) >= 25
    assert len({program.name for program in LISTED}) == len(LISTED)
    for program in LISTED:
        assert len(program.commit) == 40 and program.path.endswith(".py")
    kinds = {program.kind for program in LISTED}
    assert kinds == {"cluster", "estimator", "towers", "session"}


def test_the_page_is_what_was_measured() -> None:
    """None that was measured is left out: those that fail stand on the page, too."""
    measured = measuring.read_measured()
    names = {program.name for program in LISTED}
    assert set(measured) <= names
    repositories = {p.repository for p in LISTED if p.name in measured}
    assert len(measured) >= 40 and len(repositories) >= 25
    text = page.PAGE.read_text()
    assert text == page.page(LISTED, measured)
    assert text.count("](https://github.com/") == len(measured)
    rest = f"- {len(names) - len(measured)} more of the list are not measured yet\n"
    assert (rest in text) == (len(measured) < len(names))


def test_no_program_is_in_this_repository() -> None:
    here = pathlib.Path(programs.__file__).parent
    suffixes = {p.suffix for p in here.iterdir() if p.is_file()}
    assert suffixes == {".py", ".toml", ".json"}
    own = {"__init__.py", "measuring.py", "page.py", "programs.py"}
    assert {p.name for p in here.glob("*.py")} == own


def mirror(directory: pathlib.Path, files: dict[str, str]) -> tuple[pathlib.Path, str]:
    """A directory with a repository that is called owner+name, and its commit."""
    place = directory / "mirrors" / "owner+name"
    place.mkdir(parents=True)
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(*arguments: str) -> str:
        author = ["-c", "user.name=n", "-c", "user.email=e"]
        done = subprocess.run(
            ["git", *author, *arguments], cwd=place, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "all")
    (place / ".git").rename(place.with_name("bare"))
    for path in sorted(place.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    place.rmdir()
    place.with_name("bare").rename(place)
    commit = subprocess.run(
        ["git", f"--git-dir={place}", "rev-parse", "HEAD"],
        check=True,
        capture_output=True,
    )
    return place.parent, commit.stdout.decode().strip()


def test_a_program_is_brought_with_what_it_needs(tmp_path: pathlib.Path) -> None:
    files = {"a/b/run.py": "import help", "a/b/help.py": "", "a/x.csv": "1", "o.py": ""}
    mirrors, commit = mirror(tmp_path, files)
    program = Program(
        "owner/name", commit, "a/b/run.py", "session", data={"../M": "mnist"}, root="a"
    )
    path = programs.bring(program, tmp_path / "work", mirrors)
    brought = tmp_path / "work" / "files"
    found = {str(p.relative_to(brought)) for p in brought.rglob("*.*") if p.is_file()}
    assert {name for name in found if not name.endswith(".gz")} == {
        "a/b/run.py",
        "a/b/help.py",
    }
    assert programs.root_of(program, path) == brought / "a"
    data = mnist_input_data.read_data_sets(str(brought / "a" / "M"), one_hot=True)
    assert data.train.images.shape == (1500, 784)
    assert set(np.argmax(data.test.labels, 1)) == set(range(10))
    with pytest.raises(ValueError, match="somebody's own"):
        other = Program(
            "owner/name", commit, "o.py", "session", data={"/srv/M": "mnist"}
        )
        programs.bring(other, tmp_path / "other", mirrors)
    with pytest.raises(CannotFetch):
        wrong = Program("owner/name", "0" * 40, "o.py", "session")
        programs.bring(wrong, tmp_path / "wrong", mirrors)


def test_a_program_is_measured(tmp_path: pathlib.Path, tf1: str) -> None:
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / "reference")
    mirrors, commit = mirror(tmp_path, {"run.py": TRAINS})
    program = Program("owner/name", commit, "run.py", "session", data={"M": "mnist"})
    kept = tmp_path / "measured.json"
    told: list[str] = []
    measuring.measure([program], mirrors, told.append, kept)
    row = measuring.read_measured(kept)[program.name]
    assert (row["verdict"], row["steps"]) == ("equal", 5), row
    assert 0 < row["allowed"] and row["largest"] <= row["allowed"]
    assert told[0].startswith("owner/name/run.py: equal: 5 steps")
    gone = Program("owner/other", commit, "run.py", "session")
    measuring.measure([gone], mirrors, told.append, kept)
    measured = measuring.read_measured(kept)
    assert measured[gone.name]["verdict"] == "not fetched"
    assert program.name in measured
    text = page.page([program, gone], measured)
    assert "**2 programs of 2 repositories:**" in text
    assert "- 1 × equal\n- 1 × not fetched" in text


def test_the_largest_difference_and_what_is_allowed() -> None:
    line = "equal: 9 steps, 2 values, largest difference 2e-07 in a/b, tolerance 1e-06 "
    comparison = Comparison([Row("variable", "a/b", 9)], [], [], (9, 9))
    verdict = Verdict(Outcome.EQUAL, line + "because ...", comparison=comparison)
    row = measuring.row_of(verdict, "/w")
    assert (row["largest"], row["in"], row["allowed"]) == (2e-07, "a/b", 1e-06)


@pytest.mark.parametrize(
    ("line", "verdict", "told"),
    [
        (
            "could not run: the program is not migrated:\n/w/a.py:3:1: T111 no\nC115 x",
            "refused",
            "C115, T111",
        ),
        (
            "could not run: the original failed: No module named 'gym'\nTraceback",
            "does not run under TensorFlow 1.15.5",
            "the original failed: No module named 'gym'",
        ),
        (
            "could not run: the original failed: x\nIt wanted to reach h:1; give it",
            "does not run under TensorFlow 1.15.5",
            "the original failed: x It wanted to reach h:1.",
        ),
        ("could not run: the migration failed: y", "the migration does not run", "y"),
        ("could not compare: no number", "not compared", "no number"),
    ],
)
def test_why_a_program_is_not_compared(line: str, verdict: str, told: str) -> None:
    row = measuring.row_of(Verdict(Outcome.UNKNOWN, line), "/w")
    assert row["verdict"] == verdict and row["line"].endswith(told)


def test_what_differs_is_told() -> None:
    rows = [Row("variable", "w", 9, difference=0.25), Row("fetch", "loss", 3)]
    verdict = Verdict(
        Outcome.DIFFERENT,
        "different: step 1, variable w",
        comparison=Comparison(rows, [], [], (9, 9)),
    )
    row = measuring.row_of(verdict, "/w")
    assert row == {
        "verdict": "different",
        "line": "different: step 1, variable w",
        "largest": 0.25,
        "in": "w",
        "steps": 9,
    }
    program = Program("o/n", "c" * 40, "a_b|c.py", "session")
    text = page.page([program], {program.name: row})
    assert "| different | 9 | 0.25 |  | step 1, variable w |" in text
    assert r"[o/n/a\_b\|c.py](https://github.com/o/n/blob/" in text
