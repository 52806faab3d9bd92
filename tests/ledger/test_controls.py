"""Checks in a copy of the project that the ledger notices tampering.

In each copy one proof is asked for. It stands if nothing was changed. It is made live,
and fails as it should, after a sign in what is written beside programs, a tolerance, a
recording, or the proof's own row was changed.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.ledger import rows, sample
from tests.ledger.test_rows import ROW

ROOT = pathlib.Path(__file__).parents[2]
MODULE = "tests/migrate/frontends/sessions/test_alone.py"
# It keeps its session, for each begins with new variables.
NAME = "sessions_in_turn"
PROOF = f"{MODULE}::test_equals_recorded_tf1[{NAME}]"
PROOFS = "tests/ledger/proofs"
RECORDED = "tests/programs/alone/tf1.json"
SESSION = "migrate/support/plain_session.py"
pytestmark = pytest.mark.rests_on(
    *sorted(pathlib.Path(__file__).parent.glob("*.py")),
    ROOT / "migrate",
    ROOT / MODULE,
    ROOT / RECORDED,
    ROOT / "tests" / "programs" / "alone" / f"{NAME}.py",
)


def _decoy() -> rows.Row:
    """A row of the same kind, which the sample draws in place of the proof."""
    real = dataclasses.replace(ROW, proof=PROOF)
    for number in itertools.count():
        decoy = dataclasses.replace(ROW, proof=f"{MODULE}::test_decoy[{number}]")
        if sample.draw([real, decoy], "") == {decoy.proof}:
            return decoy
    raise AssertionError


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The project without what the proof does not need, and with the proof's row."""
    root = tmp_path_factory.mktemp("project")
    ignored = shutil.ignore_patterns(
        "__pycache__", "*.ipynb", "recorded", "corpus", "proofs"
    )
    for name in ("migrate", "reference", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", root)
    rows.write([_decoy()], root / PROOFS)
    code, said = _run(root, PROOF)
    assert code == 0 and "1 made live" in said, said
    return root


@pytest.fixture
def copy(project: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(shutil.copytree(project, tmp_path / "project"))


def _row(copy: pathlib.Path) -> rows.Row | None:
    found, wrong = rows.read(copy / PROOFS)
    assert not wrong
    return found.get(PROOF)


def _run(copy: pathlib.Path, proof: str) -> tuple[int, str]:
    """The exit code of a run of the proof alone, and what it says of proofs."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-q", proof],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert "= proofs =" in done.stdout, done.stdout + done.stderr
    return done.returncode, done.stdout


def _change(path: pathlib.Path, pattern: str, new: str) -> None:
    text, count = re.subn(pattern, new, path.read_text(), count=1)
    assert count == 1, pattern
    path.write_text(text)


def _change_sign(copy: pathlib.Path) -> None:
    """Every run of a step gives its values with the other sign."""
    path = copy / SESSION
    path.write_text(path.read_text() + _OTHER_SIGN)


_OTHER_SIGN = """

_step_of = tf.function


def _negative(value):
    return -value if hasattr(value, "dtype") and value.dtype.is_floating else value


def _with_other_sign(*args, **kwargs):
    made = _step_of(*args, **kwargs)
    return lambda *a, **k: tf.nest.map_structure(_negative, made(*a, **k))


tf.function = _with_other_sign
"""


def _exchange_recording(copy: pathlib.Path) -> None:
    path = copy / RECORDED
    recorded = json.loads(path.read_text())
    trace = recorded[NAME]["trace"]
    recorded[NAME]["trace"] = [[step, value + 1] for step, value in trace]
    path.write_text(json.dumps(recorded, indent=1) + "\n")


def _widen_tolerance(copy: pathlib.Path) -> None:
    _change(copy / MODULE, r"(?m)^TOLERANCE = .*$", "TOLERANCE = 3e-1")


def _edit_row(copy: pathlib.Path) -> None:
    row = _row(copy)
    assert row is not None
    (path,) = (copy / PROOFS).iterdir()
    edited = row.line().replace(f" | {row.seconds:.1f} | ", " | 0.0 | ", 1)
    assert edited != row.line()
    path.write_text(path.read_text().replace(row.line(), edited))


def test_while_nothing_changes_it_stands(copy: pathlib.Path) -> None:
    code, said = _run(copy, PROOF)
    assert code == 0 and " 1 taken from the ledger" in said, said


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        (_change_sign, True),
        (_exchange_recording, True),
        (_widen_tolerance, False),
        (_edit_row, False),
    ],
    ids=["sign", "recording", "tolerance", "row"],
)
def test_a_change_is_noticed(
    change: Callable[[pathlib.Path], None], fails: bool, copy: pathlib.Path
) -> None:
    before = _row(copy)
    assert before is not None
    change(copy)
    code, said = _run(copy, PROOF)
    assert "1 made live" in said and " 0 taken from the ledger" in said, said
    assert (code != 0) is fails, said
    assert ("edited by hand" in said) is (change is _edit_row)
    # What failed has no row now; what held has one that the run has written.
    after = _row(copy)
    assert (after is None) is fails
    if change is _widen_tolerance:
        assert after is not None and after.key != before.key
