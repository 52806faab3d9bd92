"""Checks which files of a tree are read; git decides if it can be asked."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

from migrate.disk import discover
from migrate.disk.discover import Exclusions, Patterns
from migrate.run import collect


def tree(root: pathlib.Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("x = 1\n")


def found(root: pathlib.Path, *exclude: str) -> set[str]:
    exclusions = Exclusions((Patterns(root, exclude),))
    paths = discover.walk(root, exclusions)
    return {p.relative_to(root).as_posix() for p in paths if discover.is_source(p)}


def test_python_notebooks_and_scripts(tmp_path: pathlib.Path) -> None:
    tree(tmp_path, "a.py", "sub/b.ipynb", "c.txt", "d.pyc", "data", "e.sh")
    (tmp_path / "script").write_text("#!/usr/bin/env python3\n")
    (tmp_path / "shell").write_text("#!/bin/sh\n# python\n")
    (tmp_path / "run.sh").write_text("#!/usr/bin/env python\n")
    (tmp_path / "empty").write_bytes(b"")
    assert found(tmp_path) == {"a.py", "sub/b.ipynb", "script"}


def test_environments_version_control_and_caches_are_skipped(
    tmp_path: pathlib.Path,
) -> None:
    tree(
        tmp_path,
        "a.py",
        ".git/hooks/b.py",
        "node_modules/c.py",
        "sub/__pycache__/d.py",
        "venv/e.py",
        "venv/pyvenv.cfg",
        "old/f.py",
        "old/bin/activate_this.py",
        "conda/conda-meta/g.json",
        "conda/g.py",
        "lib/site-packages/h.py",
    )
    assert found(tmp_path) == {"a.py"}


GITIGNORES = {
    "a pattern anywhere": {".gitignore": "gen_*.py"},
    "an anchored pattern": {".gitignore": "/a.py"},
    "a directory": {".gitignore": "sub/"},
    "a directory's content": {".gitignore": "sub/*"},
    "two stars": {".gitignore": "sub/**/b.py"},
    "all but": {".gitignore": "*.py\n!b.py"},
    "nested adds": {"sub/.gitignore": "b.py"},
    "nested takes back": {".gitignore": "b.py", "sub/.gitignore": "!b.py"},
    "no way back into a directory": {
        ".gitignore": "sub/deep/",
        "sub/.gitignore": "!deep/",
    },
    "nested anchored": {"sub/.gitignore": "/b.py"},
    "comments and spaces": {".gitignore": "# a.py\n\na.py   \n\\#.py"},
    "ignores itself": {".gitignore": "*"},
}


@pytest.mark.parametrize("name", GITIGNORES)
def test_gitignore_means_what_it_means_to_git(
    name: str, tmp_path: pathlib.Path
) -> None:
    names = [
        "a.py",
        "b.py",
        "gen_a.py",
        "#.py",
        "sub/a.py",
        "sub/b.py",
        "sub/deep/b.py",
    ]
    tree(tmp_path, *names)
    for path, content in GITIGNORES[name].items():
        (tmp_path / path).write_text(content)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run(["git", "init", "-q", tmp_path], check=True, env=environment)
    listed = subprocess.run(
        ["git", "-C", tmp_path, "ls-files", "--others", "--exclude-standard", "*.py"],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    ).stdout.splitlines()
    assert found(tmp_path) == {name.strip('"') for name in listed}


def test_gitignore_above_the_root_holds_up_to_the_repository(
    tmp_path: pathlib.Path,
) -> None:
    tree(tmp_path, "repo/sub/a.py", "repo/sub/b.py", "repo/sub/c.py")
    (tmp_path / ".gitignore").write_text("b.py")
    (tmp_path / "repo" / ".gitignore").write_text("a.py")
    sub = tmp_path / "repo" / "sub"
    assert found(sub) == {"a.py", "b.py", "c.py"}  # No repository: none holds.
    (tmp_path / "repo" / ".git").mkdir()
    assert found(sub) == {"b.py", "c.py"}


def test_an_ignored_tree_that_is_named_is_walked(tmp_path: pathlib.Path) -> None:
    tree(tmp_path, "build/a.py", "build/sub/a.py")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/")
    assert found(tmp_path) == set()
    assert found(tmp_path / "build") == {"a.py", "sub/a.py"}
    assert found(tmp_path / "build" / "sub") == {"a.py"}


def test_exclude(tmp_path: pathlib.Path) -> None:
    tree(tmp_path, "a.py", "sub/a.py", "sub/b.py")
    assert found(tmp_path, "a.py") == {"sub/b.py"}
    assert found(tmp_path, "sub/") == {"a.py"}
    assert found(tmp_path, "/a.py") == {"sub/a.py", "sub/b.py"}


def test_links(tmp_path: pathlib.Path) -> None:
    tree(tmp_path, "real/a.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "real" / "up").symlink_to("..")
    (tmp_path / "z.py").symlink_to("real/a.py")
    (tmp_path / "self.py").symlink_to("self.py")
    assert found(tmp_path) == {"real/a.py", "z.py", "self.py"}
    items = collect([tmp_path])
    # The link and its file are one; the one that leads nowhere is looked at, and fails.
    assert items == [tmp_path / "self.py", tmp_path / "z.py"]


def test_files_are_looked_at_once_and_in_order(tmp_path: pathlib.Path) -> None:
    tree(tmp_path, "b.py", "a.py", "sub/c.py")
    names = [tmp_path / "b.py", tmp_path, tmp_path / "sub" / ".." / "a.py"]
    assert collect(names) == [
        tmp_path / "b.py",
        tmp_path / "a.py",
        tmp_path / "sub/c.py",
    ]


def test_a_pipe_holds_nobody(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.py")
    assert found(tmp_path) == set()
    (failed,) = collect([tmp_path / "pipe.py"])
    assert not isinstance(failed, pathlib.Path)
    assert failed.findings[0].code == "E001"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every directory")
def test_a_directory_that_cannot_be_listed_is_told(tmp_path: pathlib.Path) -> None:
    tree(tmp_path, "a.py", "closed/b.py")
    (tmp_path / "closed").chmod(0)
    try:
        first, failed = collect([tmp_path])
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert first == tmp_path / "a.py"
    assert not isinstance(failed, pathlib.Path)
    assert failed.findings[0].code == "E001"
