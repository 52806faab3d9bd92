"""A run over many files: order, processes, failures, support modules, copies."""

from __future__ import annotations

import os
import pathlib

import pytest

from migrate import copies, results, run
from migrate.beside import files as beside
from migrate.file_result import FileResult
from migrate.findings import Outcome
from tests.migrate.stand_in import rename

OLD = b"import tensorflow as tf\nx = tf.log(2.)\n"
NEW = OLD.replace(b"tf.log", b"tf.math.log")
SESSION = OLD + b"import training_session\ntf.needs_session(training_session.Saver)\n"
BESIDE = beside.collect_files(SESSION.decode())


def migrate(
    *paths: pathlib.Path, jobs: int = 1, links: bool = False
) -> list[FileResult]:
    return list(run.run_tree(paths, core=rename, jobs=jobs, each_link=links))


def of(results: list[FileResult]) -> dict[str, list[str]]:
    return {r.path.name: [f.code for f in r.findings] for r in results}


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order_and_one_bad_file_costs_no_other(
    jobs: int, tmp_path: pathlib.Path
) -> None:
    for number in range(60):
        (tmp_path / f"{number:02}.py").write_bytes(OLD)
    bad = {
        "03.py": b"print 'x'",
        "17.py": b"tf.internal_error",
        "31.py": b"tf.gate",
        "45.py": b"tf.unstable",
        "52.py": b"tf.too_deep",
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(OLD + content)
    told: list[tuple[int, int]] = []
    results = list(
        run.run_tree(
            [tmp_path],
            core=rename,
            jobs=jobs,
            progress=lambda d, t: told.append((d, t)),
        )
    )
    assert [r.path.name for r in results] == [f"{n:02}.py" for n in range(60)]
    assert told == [(n + 1, 60) for n in range(60)]
    codes = of(results)
    assert codes["03.py"] == ["E004"]
    assert codes["17.py"] == ["G009"]
    assert codes["31.py"] == ["T102", "G009"]
    assert codes["45.py"] == ["T102", "G009"]
    assert codes["52.py"] == ["E001"]
    for result in results:
        assert result.failed == (result.path.name in bad)
        assert result.new == (b"" if result.failed else NEW)


def test_a_file_that_kills_its_process_costs_no_other(tmp_path: pathlib.Path) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.py").write_bytes(OLD)
    (tmp_path / "05.py").write_bytes(OLD + b"tf.kills_its_process\n")
    (tmp_path / "30.py").write_bytes(OLD + b"tf.kills_its_process\n")
    codes = of(migrate(tmp_path, jobs=2))
    assert len(codes) == 40
    assert {name for name, found in codes.items() if found == ["E001"]} == {
        "05.py",
        "30.py",
    }
    assert sum(found == ["T102"] for found in codes.values()) == 38


def test_a_file_without_tensorflow_is_not_parsed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(b"print 'not Python 3, and none of ours'\n\xff")
    (result,) = migrate(tmp_path)
    assert result == FileResult(tmp_path / "a.py")


def test_columns_count_characters(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("import tensorflow as tf\ns = 'äöü€'; x = tf.log(2.)\n", "utf-8")
    (result,) = migrate(path)
    assert [(f.line, f.column) for f in result.findings] == [(2, 17)]


def test_paths_that_are_not_there(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(OLD)
    (tmp_path / "dangling").symlink_to("nowhere")
    results = migrate(tmp_path / "b", tmp_path / "dangling", tmp_path / "a.py")
    assert [r.failed for r in results] == [True, True, False]
    assert results[0].findings[0].reason == "no such file or directory"
    assert results[1].findings[0].reason == "a link that leads nowhere"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(OLD)
    (tmp_path / "a.py").chmod(0)
    (result,) = migrate(tmp_path)
    assert result.findings[0].code == "E001"


# -- support modules -------------------------------------------------------------------


def written(path: pathlib.Path) -> FileResult:
    (result,) = migrate(path)
    return results.write_result(result, path)


def test_support_modules_are_written_once_beside_the_program(
    tmp_path: pathlib.Path,
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(SESSION)
        assert not written(tmp_path / name).failed
    name = "training_session/checkpoints.py"
    assert (tmp_path / name).read_bytes() == BESIDE[name]
    changed = (tmp_path / name).stat().st_mtime_ns
    (tmp_path / "c.py").write_bytes(SESSION)
    assert not written(tmp_path / "c.py").failed
    assert (tmp_path / name).stat().st_mtime_ns == changed


def test_our_own_module_is_not_migrated(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(SESSION)
    written(tmp_path / "a.py")
    results = migrate(tmp_path)
    assert not any(r.changed or r.findings for r in results)
    assert len(results) == 1 + len(BESIDE)


def test_a_module_of_the_users_is_not_overwritten(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_bytes(SESSION)
    (tmp_path / "training_session.py").write_bytes(b"MINE = 1\n")
    result = written(tmp_path / "a.py")
    assert [f.code for f in result.findings] == ["T102", "G006"]
    assert result.failed and not result.changed
    assert (tmp_path / "a.py").read_bytes() == SESSION
    assert (tmp_path / "training_session.py").read_bytes() == b"MINE = 1\n"


def test_support_stands_where_a_linked_program_does(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_bytes(SESSION)
    link = tmp_path / "a.py"
    link.symlink_to("real/a.py")
    assert not written(link).failed
    assert (tmp_path / "real" / "training_session").exists()
    assert not (tmp_path / "training_session").exists()


def test_a_file_changed_meanwhile_is_not_overwritten(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    (result,) = migrate(path)
    path.write_bytes(b"typed by the user meanwhile")
    written = results.write_result(result, path)
    assert [f.code for f in written.findings] == ["N100", "E006"]
    assert written.failed and not written.changed
    assert path.read_bytes() == b"typed by the user meanwhile"


def test_a_read_only_file_gets_no_support_either(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(SESSION)
    path.chmod(0o444)
    result = written(path)
    assert "read-only" in result.findings[-1].reason
    assert list(tmp_path.iterdir()) == [path]


# -- copies ----------------------------------------------------------------------------


def copied(output: pathlib.Path, *roots: pathlib.Path) -> list[FileResult]:
    with copies.Copy.begin_copy(roots, output) as copy:
        failures = copy.make()
        done = [
            results.write_result(r, copy.find_target(r.path), own_copy=True)
            if r.changed
            else r
            for r in migrate(*roots, links=True)
        ]
        copy.publish()
    return failures + done


def content(root: pathlib.Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file()
    }


def test_a_copy_has_everything(tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub" / "empty").mkdir(parents=True)
    (tree / ".gitignore").write_text("ignored.py\n")
    (tree / "a.py").write_bytes(OLD)
    (tree / "a.py").chmod(0o555)
    (tree / "ignored.py").write_bytes(OLD)
    (tree / "sub" / "b.py").write_bytes(SESSION)
    (tree / "sub" / "data.bin").write_bytes(b"\0\xff")
    before = content(tree)
    results = copied(tmp_path / "out", tree)
    assert not any(r.failed for r in results)
    assert content(tree) == before
    new = content(tmp_path / "out")
    for name, data in BESIDE.items():
        assert new.pop(f"sub/{name}") == data
    migrated = {"a.py": NEW, "sub/b.py": SESSION.replace(b"tf.log", b"tf.math.log")}
    assert new == {**before, **migrated}
    assert (tmp_path / "out" / "sub" / "empty").is_dir()
    assert (tmp_path / "out" / "a.py").stat().st_mode & 0o777 == 0o555


def test_nothing_written_to_a_copy_reaches_the_original(tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    outside = tmp_path / "outside.py"
    for path in (outside, tree / "real.py"):
        path.write_bytes(OLD)
    (tree / "absolute.py").symlink_to(tree / "real.py")
    (tree / "relative.py").symlink_to("real.py")
    (tree / "up.py").symlink_to("../outside.py")
    (tree / "loop").symlink_to(".")
    (tree / "dangling.py").symlink_to("nowhere.py")
    results = copied(tmp_path / "deeper" / "out", tree)
    assert [r.path.name for r in results if r.failed] == ["dangling.py"]
    assert outside.read_bytes() == OLD
    assert (tree / "real.py").read_bytes() == OLD
    out = tmp_path / "deeper" / "out"
    assert (out / "relative.py").is_symlink() and (out / "loop").is_symlink()
    assert (out / "real.py").read_bytes() == NEW
    assert (out / "absolute.py").read_bytes() == NEW
    assert not (out / "absolute.py").is_symlink()
    assert (out / "up.py").read_bytes() == NEW and not (out / "up.py").is_symlink()


def test_several_paths_keep_their_names(tmp_path: pathlib.Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_bytes(OLD)
    (tmp_path / "b.py").write_bytes(OLD)
    (tmp_path / "link.py").symlink_to("b.py")
    copied(tmp_path / "out", tmp_path / "one", tmp_path / "two", tmp_path / "link.py")
    new = content(tmp_path / "out")
    assert new == {"one/a.py": NEW, "two/a.py": NEW, "link.py": NEW}
    assert not (tmp_path / "out" / "link.py").is_symlink()


def test_a_copy_that_would_cost_something_is_refused(tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    full = tmp_path / "full"
    full.mkdir()
    (full / "a.py").write_text("precious")
    (tmp_path / "other" / "tree").mkdir(parents=True)
    for roots, output, told in (
        ((tree,), full, "not an empty directory"),
        ((tree,), full / "a.py", "not an empty directory"),
        ((tree,), tree / "sub" / "out", "inside the tree"),
        ((tree,), tree, "not an empty directory"),
        ((tree, tmp_path / "other" / "tree"), tmp_path / "out", "2 of the paths"),
    ):
        with pytest.raises(copies.CopyError, match=told):
            with copies.Copy.begin_copy(roots, output):
                pass


def test_a_pipe_in_a_tree_is_told_and_not_waited_for(tmp_path: pathlib.Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    os.mkfifo(tree / "pipe")
    (result,) = copied(tmp_path / "out", tree)
    assert result.findings[0].outcome is Outcome.FAILED
