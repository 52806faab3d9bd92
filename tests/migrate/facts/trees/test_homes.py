"""All files of a tree find one and the same emitted module, wherever they stand."""

from __future__ import annotations

import ast
import pathlib

import pytest
from click.testing import CliRunner

from migrate import cli
from migrate.facts.trees.homes import Home, find_homes

MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
  loss = tf.reduce_mean(tf.layers.dense(features, 1))
  return tf.estimator.EstimatorSpec(mode, loss=loss)
"""
PROGRAM = """\
import tensorflow as tf
from pkg.models import net


def main():
  tf.estimator.Estimator(net.model_fn)
"""


def _tree(root: pathlib.Path, files: dict[str, str]) -> list[pathlib.Path]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [root / name for name in files]


def _homes(
    root: pathlib.Path, files: dict[str, str], given: str = "."
) -> dict[str, Home]:
    """Homes by relative path, directories relative too."""
    real = root.resolve()
    found = find_homes(_tree(real, files), [real / given])
    return {
        str(pathlib.Path(f).relative_to(real)): Home(
            str(pathlib.Path(h.directory).relative_to(real)), h.package
        )
        for f, h in found.items()
    }


def test_scripts_beside_each_other_need_no_home(tmp_path: pathlib.Path) -> None:
    files = {"train.py": "import model\n", "model.py": "import tensorflow as tf\n"}
    assert _homes(tmp_path, files) == {}


def test_a_package_has_its_home_where_it_stands(tmp_path: pathlib.Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/bin/train.py": "from pkg.models import net\n",
        "pkg/models/net.py": "import tensorflow as tf\n",
        "run.py": "import os, pkg.bin.train\n",
    }
    assert _homes(tmp_path, files) == {
        "pkg/bin/train.py": Home("."),
        "pkg/models/net.py": Home("."),
    }


def test_relative_imports_say_what_the_package_is(tmp_path: pathlib.Path) -> None:
    files = {
        "a/pkg/__init__.py": "",
        "a/pkg/sub/__init__.py": "",
        "a/pkg/sub/train.py": "from ..net import f\n",
        "a/pkg/net.py": "",
    }
    assert _homes(tmp_path, files) == {
        "a/pkg/sub/train.py": Home("a"),
        "a/pkg/net.py": Home("a"),
    }


def test_the_top_of_a_checkout_is_no_package(tmp_path: pathlib.Path) -> None:
    """Though it has an `__init__.py`: its script is started in it."""
    files = {
        "checkout/__init__.py": "",
        "checkout/train.py": "from nets import net\n",
        "checkout/nets/__init__.py": "",
        "checkout/nets/net.py": "from . import layers\n",
        "checkout/nets/layers.py": "",
    }
    home = Home("checkout")
    expected = {"checkout/nets/net.py": home, "checkout/nets/layers.py": home}
    assert _homes(tmp_path, files, "checkout") == expected
    # A control: by its own imports it is one.
    files["checkout/train.py"] = "from checkout.nets import net\n"
    found = _homes(tmp_path, files, "checkout")
    assert found["checkout/nets/net.py"] == Home("checkout", "checkout")


def test_nothing_is_written_outside_of_what_was_given(tmp_path: pathlib.Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/train.py": "from pkg import net\n",
        "pkg/net.py": "",
    }
    inside = Home("pkg", "pkg")
    assert _homes(tmp_path, files, "pkg") == {
        "pkg/train.py": inside,
        "pkg/net.py": inside,
    }


@pytest.mark.parametrize("name", ["tensorflow", "numpy"])
def test_a_directory_that_is_no_package(tmp_path: pathlib.Path, name: str) -> None:
    files = {
        f"{name}/train.py": f"import {name} as x\nfrom {name}.core import y\n",
        f"{name}/model.py": f"import {name}.python\n",
    }
    assert _homes(tmp_path, files, name) == {}


def test_a_script_that_imports_its_neighbours(tmp_path: pathlib.Path) -> None:
    """The path has the script's own imports; a test's imports may not be on it."""
    files = {
        "pkg/__init__.py": "",
        "pkg/train.py": "import model\n",
        "pkg/model.py": "",
        "test_train.py": "from pkg import train\n",
    }
    assert _homes(tmp_path, files) == {}


def _migrated(*arguments: str) -> None:
    done = CliRunner().invoke(cli.main, ["migrate", *arguments])
    assert done.exit_code == 0, done.output


def _imports(path: pathlib.Path) -> list[str]:
    tree = ast.parse(path.read_text())
    return [
        ast.unparse(n)
        for n in ast.walk(tree)
        if isinstance(n, ast.Import | ast.ImportFrom)
        and "estimator_loop" in ast.unparse(n)
    ]


@pytest.mark.parametrize("as_package", [False, True])
def test_a_file_that_is_a_script_beside_others_or_in_a_package(
    as_package: bool, tmp_path: pathlib.Path
) -> None:
    both = (
        "try:\n  from layers import a\nexcept ImportError:\n  from .layers import a\n"
    )
    files = {"pkg/model.py": both, "pkg/layers.py": "a = 1\n"}
    if as_package:
        files["train.py"] = "from pkg.model import a\n"
    else:
        files["pkg/train.py"] = "from model import a\n"
    found = _homes(tmp_path, files)
    assert found.get("pkg/model.py") == (Home(".") if as_package else None)


def test_one_module_for_the_tree(tmp_path: pathlib.Path) -> None:
    files = {"train.py": PROGRAM, "pkg/__init__.py": "", "pkg/models/net.py": MODEL}
    _tree(tmp_path / "tree", files)
    out = tmp_path / "out"
    _migrated(str(tmp_path / "tree"), "--output", str(out))
    assert [p.parent for p in out.rglob("estimator_loop")] == [out]
    for name in ("train.py", "pkg/models/net.py"):
        assert _imports(out / name) == ["import estimator_loop"]
    before = {p: p.read_bytes() for p in out.rglob("*.py")}
    _migrated(str(out), "--write")
    assert {p: p.read_bytes() for p in out.rglob("*.py")} == before


def test_the_package_alone(tmp_path: pathlib.Path) -> None:
    program = PROGRAM.replace("pkg.models import", "pkg import")
    files = {"pkg/__init__.py": "", "pkg/train.py": program, "pkg/net.py": MODEL}
    _tree(tmp_path, files)
    _migrated(str(tmp_path / "pkg"), "--write")
    assert (tmp_path / "pkg" / "estimator_loop" / "__init__.py").exists()
    assert not (tmp_path / "estimator_loop").exists()
    for name in ("train.py", "net.py"):
        assert _imports(tmp_path / "pkg" / name) == ["from pkg import estimator_loop"]


def test_a_file_of_the_users_is_not_overwritten(tmp_path: pathlib.Path) -> None:
    files = {"train.py": PROGRAM, "pkg/__init__.py": "", "pkg/models/net.py": MODEL}
    _tree(tmp_path, {**files, "estimator_loop.py": "mine = 1\n"})
    done = CliRunner().invoke(cli.main, ["migrate", str(tmp_path), "--write"])
    assert done.exit_code == 2 and "G006" in done.output
    assert (tmp_path / "estimator_loop.py").read_text() == "mine = 1\n"
    assert (tmp_path / "pkg/models/net.py").read_text() == MODEL


def test_a_file_that_an_emitted_package_would_hide(tmp_path: pathlib.Path) -> None:
    _tree(tmp_path, {"train.py": PROGRAM, "training_session.py": "mine = 1\n"})
    done = CliRunner().invoke(cli.main, ["migrate", str(tmp_path), "--write"])
    assert done.exit_code == 2
    assert "training_session.py stands beside it and hides" in done.output
    assert (tmp_path / "train.py").read_text() == PROGRAM
