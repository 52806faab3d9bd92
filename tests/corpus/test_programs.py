"""The programs of real TF1 packages come out no worse than recorded, and start."""

from __future__ import annotations

import importlib.metadata
import pathlib
import platform
import shutil
import tempfile
from collections.abc import Iterator

import pytest

from tests import ledger
from tests.corpus import coverage, programs, programs_table, starts
from tests.corpus.packages import PACKAGES, Package, Unavailable, unpacked
from tests.corpus.programs import STARTS, Program

RECORDED = programs_table.recorded()
MEASURED = [package for package in PACKAGES if package.name in RECORDED]


@pytest.fixture(scope="module")
def where() -> Iterator[pathlib.Path]:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="corpus"))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("package", MEASURED, ids=lambda p: p.name)
def test_programs_come_out_as_recorded(package: Package, where: pathlib.Path) -> None:
    ledger.rests_on(ledger.COMPILER, programs_table.RECORDED)
    try:
        found = programs.measure(package, where)
    except Unavailable as error:
        pytest.skip(f"the package index does not give it: {error}")
    recorded = RECORDED[package.name]
    assert not list(programs.worse(recorded, [one.program for one in found])), (
        "if that is meant: python -m tests.corpus --programs"
    )
    imports = coverage.recorded()[package.name]["imports"]
    assert isinstance(imports, dict)
    if not platform.python_version().startswith(f"{imports['python']}."):
        return
    if importlib.metadata.version("tensorflow") != imports["tensorflow"]:
        return
    now = starts.start_migrated(package, found, where)
    assert _lost(recorded, "tf2", now) == []


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("package", MEASURED, ids=lambda p: p.name)
def test_originals_start_as_recorded(
    package: Package, tf1: str, where: pathlib.Path
) -> None:
    """On TensorFlow 1.15.5, where nothing of the compiler plays a part."""
    ledger.rests_on(programs_table.RECORDED, pathlib.Path(starts.__file__).parent)
    try:
        entries = programs.find_entries(unpacked(package, where))
        now = starts.start_originals(package, entries, tf1, where)
    except Unavailable as error:
        pytest.skip(f"the package index does not give it: {error}")
    assert _lost(RECORDED[package.name], "tf1", now) == []


def _lost(
    recorded: list[dict[str, object]], version: str, now: dict[str, str]
) -> list[str]:
    """Programs that started when that was recorded, and do not now."""
    return [
        f"{row['module']}: {now.get(str(row['module']))}"
        for row in recorded
        if row[version] == STARTS and now.get(str(row["module"])) != row[version]
    ]


# -- what judges them can tell a bad one -----------------------------------------------


def _tree(directory: pathlib.Path, texts: dict[str, str]) -> pathlib.Path:
    for name, text in texts.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


GUARD = "if __name__ == '__main__':\n  main()\n"
MAIN = f"import tensorflow as tf\nfrom pkg import {{}}\ndef main():\n  print(tf.log(1.0))\n{GUARD}"


def test_a_program_has_only_what_it_imports(tmp_path: pathlib.Path) -> None:
    """One that is refused holds back none that does not load the refused file."""
    root = _tree(
        tmp_path / "wheel",
        {
            "pkg/__init__.py": "",
            "pkg/good.py": "import tensorflow as tf\ndef f(x):\n  return tf.log(x)\n",
            "pkg/bad.py": "import tensorflow as tf\nx = tf.contrib.learn.y\n",
            "pkg/a.py": MAIN.format("good"),
            "pkg/b.py": MAIN.format("bad, good"),
            "pkg/command.py": "def main():\n  pass\n",
            "pkg/a_test.py": f"from pkg import a\n{GUARD}",
            "x.dist-info/entry_points.txt": "[console_scripts]\nc = pkg.command:main\n",
        },
    )
    entries = programs.find_entries(root)
    assert [entry.module for entry in entries] == ["pkg.a", "pkg.b", "pkg.command"]
    found = programs.settle_programs(root, entries, tmp_path / "files")
    told = {one.program.module: one.program for one in found}
    assert told["pkg.a"].status == "migrated" and told["pkg.a"].files == 3
    assert told["pkg.b"].status == "refused" and "bad.py" in told["pkg.b"].reason
    assert told["pkg.b"].fallback == "refused" and "bad.py" in told["pkg.b"].lost
    assert told["pkg.command"].status == ""


@pytest.mark.parametrize(
    ("status", "fallback", "is_worse"),
    [
        ("migrated", "", False),
        ("refused", "compat", True),
        ("refused", "refused", True),
        ("failed", "", True),
    ],
)
def test_a_worse_program_is_told(status: str, fallback: str, is_worse: bool) -> None:
    recorded: list[dict[str, object]] = [
        {"module": "a", "status": "compat", "fallback": ""}
    ]
    now = Program("a", 1, 1, status, fallback=fallback)
    assert bool(list(programs.worse(recorded, [now]))) is is_worse


def test_a_program_that_the_fallback_takes_no_more_is_told() -> None:
    row = {"module": "a", "status": "refused", "fallback": "compat"}
    assert not list(programs.worse([row], [Program("a", 1, 1, "migrated")]))
    now = Program("a", 1, 1, "refused", fallback="refused")
    assert list(programs.worse([row], [now]))
    assert list(programs.worse([row], []))


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("usage: a [-h]\n\nended: 0\n", STARTS),
        ("flags:\n --x\n\nended: 1\n", STARTS),
        ("\nended: 0\n", "it tells no flags"),
        ("usage: a\n", "it ended without a word"),
        ("\nended: ModuleNotFoundError|a.b|No module named 'a'\n", "a is not there"),
        ("usage\n\nended: ValueError||not so\n", "ValueError: not so"),
    ],
)
def test_how_a_program_ended(output: str, told: str) -> None:
    assert starts.judge(output) == told


def test_a_program_that_starts_no_more_is_told() -> None:
    row: dict[str, object] = {"module": "a", "tf2": STARTS}
    assert _lost([row], "tf2", {"a": STARTS}) == []
    assert _lost([row], "tf2", {"a": "x is not there"}) == ["a: x is not there"]
