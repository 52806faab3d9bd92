"""Checks which file an import means."""

from __future__ import annotations

from migrate.load.tree import Texts, Tree

_TEXTS = {
    "run/main.py": "",
    "run/beside.py": "",
    "run/package/__init__.py": "",
    "run/package/inner.py": "",
    "run/package/broken.py": "def (",
}


def _tree() -> Tree:
    return Tree(Texts(_TEXTS), "run/main.py")


def test_modules_beside_the_program_and_in_packages() -> None:
    found = _tree().find
    assert found("beside", 0, "run/main.py") == ("run/beside.py", "run.beside")
    inner = ("run/package/inner.py", "run.package.inner")
    assert found("package.inner", 0, "run/main.py") == inner
    assert found("inner", 1, "run/package/__init__.py") == inner
    assert found("package", 0, "run/main.py") == (
        *("run/package/__init__.py", "run/package"[:3] + ".package"),
    )


def test_what_is_no_module_of_the_program() -> None:
    tree = _tree()
    assert tree.find("numpy", 0, "run/main.py") is None
    assert tree.find("package.broken", 0, "run/main.py") is None
    assert tree.parse("nowhere.py") is None


def test_a_file_is_parsed_once() -> None:
    tree = _tree()
    assert tree.parse("run/beside.py") is tree.parse("run/beside.py")
