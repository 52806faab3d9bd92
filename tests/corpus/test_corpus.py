"""Real TF1 packages come out whole, accounted for, and no worse than recorded."""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

import pytest

from migrate import pipeline
from migrate.disk.collect import collect
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.options import Options
from tests import ledger
from tests.corpus import accounting, coverage, imports, suite
from tests.corpus.packages import PACKAGES, Package, Unavailable


@pytest.fixture(scope="module")
def where() -> Iterator[pathlib.Path]:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="corpus"))
    yield directory
    shutil.rmtree(directory)


# Each module is migrated, compiled, and migrated again with all others of its package; the
# next test imports it. tensor2tensor takes some five minutes where nothing else runs.
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_package(package: Package, where: pathlib.Path) -> None:
    ledger.rests_on(ledger.COMPILER)
    try:
        results = coverage.migrated(package, where)
    except Unavailable as error:
        pytest.skip(f"the package index does not give it: {error}")
    again = coverage.migrated_again(package, where)
    assert dataclasses.asdict(coverage.faults(results, again)) == {
        "failed": [],
        "not_python": [],
        "unaccounted": [],
        "not_stable": [],
        "touched": [],
        "moved": [],
    }
    now = coverage.figures(results)
    worse = list(coverage.regressions(coverage.recorded()[package.name], now))
    assert not worse, "if that is meant: python -m tests.corpus"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_modules_import(package: Package, where: pathlib.Path) -> None:
    """As many as were recorded, and of the others the cause is known."""
    ledger.rests_on(ledger.COMPILER)
    recorded = coverage.recorded()[package.name]["imports"]
    assert isinstance(recorded, dict)
    try:
        found = coverage.imported(package, where)
    except Unavailable as error:
        pytest.skip(f"the package index does not give it: {error}")
    now = imports.recorded_form(found)
    for key in ("python", "tensorflow"):
        if now[key] != recorded[key]:
            pytest.skip(f"recorded with {key} {recorded[key]}, this is {now[key]}")
    assert found.unexplained == []
    assert found.modules == recorded["modules"]
    assert found.imported >= recorded["imported"], found.causes


def test_the_document_is_that_of_the_figures() -> None:
    text = coverage.DOCUMENT.read_text("utf-8")
    assert text == coverage.document(coverage.recorded())


# -- what judges the results can tell a bad one ----------------------------------------


def _result(old: str, new: str, *findings: Finding) -> FileResult:
    return FileResult(pathlib.Path("a/b/c.py"), old.encode(), new.encode(), findings)


OLD = "import tensorflow as tf\nx = tf.log(1.0)\ny = 2\n"
GOOD = "import tensorflow as tf\nx = tf.math.log(1.0)\ny = 2\n"
REWRITTEN = Finding(2, 5, "T102", Outcome.REWRITTEN, "tf.log")


def _faults(new: str) -> dict[str, list[str]]:
    result = _result(OLD, new, REWRITTEN)
    again = pipeline.migrate_bytes(result.path, result.new, Options())
    return dataclasses.asdict(coverage.faults([result], [again]))


def test_a_good_result_has_no_faults() -> None:
    assert not any(_faults(GOOD).values())


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        (GOOD.replace("(1.0)", "(1.0"), "not_python"),
        (GOOD.replace("math.log", "lag"), "unaccounted"),
        (GOOD.replace("math.log", "contrib.layers.flatten"), "not_stable"),
        (GOOD.replace("y = 2", "y = 3"), "touched"),
    ],
)
def test_a_bad_result_has_its_fault(new: str, kind: str) -> None:
    assert _faults(new)[kind]


@pytest.mark.parametrize("code", ["G009"])
def test_a_fault_of_our_own_is_one(code: str) -> None:
    ours = Finding(2, 5, code, Outcome.REFUSED, "tf.log", "a fault of ours")
    result = _result(OLD, OLD, ours)
    assert coverage.faults([result], []).failed
    assert coverage.faults([], [result]).not_stable


@pytest.mark.parametrize(
    ("old", "new", "imported", "cause"),
    [
        (OLD, GOOD, 2, ""),
        (OLD, GOOD.replace("math.log", "lag"), 0, "not known"),
        (
            "import tensorflow as tf\nx = tf.contrib.learn.y\n",
            "",
            0,
            "`tf.contrib`, refused in the report",
        ),
        ("import tensorflow\nimport of_nobody\n", "", 0, "of_nobody is not there"),
        ("import tensorflow\nraise SystemExit\n", "", 0, "not known"),
    ],
)
def test_a_module_that_fails_has_a_cause(
    tmp_path: pathlib.Path, old: str, new: str, imported: int, cause: str
) -> None:
    """One that imports it fails with it, and is not run again."""
    tree = imports.Tree(tmp_path / "tree", {})
    (tree.root / "pkg").mkdir(parents=True)
    (tree.root / "pkg/__init__.py").write_text("")
    (tree.root / "pkg/a.py").write_text("from pkg import b\n")
    (tree.root / "pkg/b.py").write_text(new or old)
    result = pipeline.migrate_bytes(tmp_path / "b.py", old.encode(), Options())
    tree = dataclasses.replace(tree, results={str(tree.root / "pkg/b.py"): result})
    try:
        found = imports.tried(tree, [], tmp_path)
    except Unavailable as error:
        pytest.skip(f"the package index does not give it: {error}")
    assert (found.modules, found.imported) == (3, imported + 1)
    assert found.causes == ([(cause, 2)] if cause else [])
    assert bool(found.unexplained) is (cause == "not known")


def test_a_refusal_accounts_for_its_line_only() -> None:
    old = "import tensorflow as tf\na = tf.Session()\nb = tf.Session\nc = 1\n"
    paths = accounting.unaccounted(old, old, {2}, set())
    assert [(p.line, p.path) for p in paths] == [(3, "tensorflow.Session")]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("import tensorflow as tf\ntf.log", ["tensorflow.log"]),
        ("from tensorflow import log", ["tensorflow.log"]),
        ("from tensorflow.contrib import *", ["tensorflow.contrib"]),
        ("import tensorflow\ntensorflow.nn.relu\ntensorflow.log", ["tensorflow.log"]),
        ("import tensorflow as tf\ndef f(tf):\n  return tf.log", []),
        ("import tensorflow.compat.v1 as tf\ntf.log\ntf.compat.v2.log", None),
        ("import tensorflow as tf\ntf.train.Checkpoint.restore\ntf.nn.nope", None),
    ],
)
def test_spelled(text: str, paths: list[str] | None) -> None:
    found = [s.path for s in accounting.spelled(ast.parse(text))]
    missing = [p for p in found if not accounting.exists(p)]
    assert missing == (paths if paths is not None else found[-1:])


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abc", "axc", [(0, 0), (2, 2)]),
        ("abcd", "xabdy", [(0, 1), (1, 2), (3, 3)]),
        ("aabaa", "aaxbaa", [(0, 0), (1, 1), (2, 3), (3, 4), (4, 5)]),
        ("", "ab", []),
    ],
)
def test_aligned(old: str, new: str, pairs: list[tuple[int, int]]) -> None:
    assert accounting.aligned([*old], [*new]) == pairs


def test_worse_figures_are_told() -> None:
    before = {"idioms": {"tf.data": {"rewritten": 2, "kept": 1, "refused": 1}}}
    for counts, worse in (
        ({"rewritten": 3, "kept": 1, "refused": 0}, False),
        ({"rewritten": 1, "kept": 1, "refused": 1}, True),
        ({"rewritten": 2, "kept": 1, "refused": 2}, True),
    ):
        now = coverage.Coverage(1, 1, {"tf.data": counts}, [], [])
        assert bool(list(coverage.regressions(before, now))) is worse


def test_the_gate_of_effects_stops_no_program_of_this_repository() -> None:
    """As recorded of all of them; test_migrations.py asks again for a part of them."""
    files, stopped = suite.recorded()
    assert stopped == []
    now = len(collect(suite.find_programs()))
    assert files == now, "python -m tests.corpus --suite"
