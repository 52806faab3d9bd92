"""A second run over an unchanged tree takes what the first one gave, and no other does."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from migrate import cached_run
from migrate.disk import discover, run_cache
from migrate.file_result import FileResult
from migrate.options import Options

OLD = "import tensorflow as tf\nprint(tf.log(2.))\n"


@pytest.fixture(autouse=True)
def home(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tf1to2" / "runs"


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text(OLD)
    return tmp_path / "tree"


def _run(
    path: pathlib.Path,
    options: Options = Options(),  # noqa: B008
    prepare: Callable[[FileResult], FileResult] = lambda result: result,
) -> list[list[FileResult]]:
    return cached_run.run_programs(
        [path],
        options,
        prepare=prepare,
        exclusions=discover.Exclusions(),
        jobs=1,
        each_link=False,
        progress=lambda done, total: None,
    )


def _kept(home: pathlib.Path) -> int:
    return len(list(home.glob("*.pickle")))


def test_the_same_run_is_kept_once(tree: pathlib.Path, home: pathlib.Path) -> None:
    first = _run(tree)
    assert _kept(home) == 1 and first[0][0].changed
    (file,) = home.iterdir()
    # What is kept is what is taken: a control that it is read at all.
    run_cache.save(file.stem, [])
    assert _run(tree) == []
    run_cache.save(file.stem, first)
    assert _run(tree) == first


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: (tree / "a.py").write_text(OLD + "tf.log(3.)\n"),
        lambda tree: (tree / "b.py").write_text("x = 1\n"),
        lambda tree: (tree / "a.py").rename(tree / "c.py"),
        lambda tree: (tree.parent / "model.py").write_text("x = 1\n"),
    ],
)
def test_what_a_result_depends_on_is_in_the_key(
    change: Callable[[pathlib.Path], object], tree: pathlib.Path, home: pathlib.Path
) -> None:
    _run(tree)
    change(tree)
    _run(tree)
    assert _kept(home) == 2


def test_options_are_in_the_key(tree: pathlib.Path, home: pathlib.Path) -> None:
    _run(tree)
    _run(tree, Options(ignore=("T",)))
    assert _kept(home) == 2


def test_single_files_failures_and_what_cannot_be_read_are_not_kept(
    tree: pathlib.Path, home: pathlib.Path
) -> None:
    _run(tree / "a.py")
    _run(tree, prepare=lambda result: result.mark_failed("G006", "taken"))
    assert _kept(home) == 0
    _run(tree)
    (file,) = home.iterdir()
    file.write_bytes(b"damaged")
    assert _run(tree)[0][0].changed


def test_old_runs_go(tree: pathlib.Path, home: pathlib.Path) -> None:
    for number in range(50):
        run_cache.save(f"{number}", [])
    assert _kept(home) == 40
