"""A named file is migrated with the files that it imports: they are one program."""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate import copies, run
from migrate.disk import discover
from migrate.disk.imported import find_imported

MAIN = """\
import numpy as np
import tensorflow as tf
IMPORT

x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(CALL(x))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {x: np.ones((2, 4))})[0])
"""
NETS = """\
import tensorflow as tf


def build(x):
    return tf.layers.dense(x, 3, name="out")
"""


def write(directory: pathlib.Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def make_main(imported: str, call: str) -> str:
    return MAIN.replace("IMPORT", imported).replace("CALL", call)


WAYS = {
    "beside it": ("import nets", "nets.build", {"nets.py": NETS}),
    "in a package": (
        "from lib.nets import build",
        "build",
        {"lib/__init__.py": "", "lib/nets.py": NETS},
    ),
    "through another": (
        "import helper",
        "helper.nets.build",
        {"helper.py": "import nets\n", "nets.py": NETS},
    ),
    "by the package": (
        "from lib import build",
        "build",
        {"lib/__init__.py": "from .nets import build\n", "lib/nets.py": NETS},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_it_imports_is_part_of_the_run(tmp_path: pathlib.Path, way: str) -> None:
    imported, call, files = WAYS[way]
    write(tmp_path, {"main.py": make_main(imported, call), **files})
    found = {
        p.relative_to(tmp_path).as_posix() for p in find_imported(tmp_path / "main.py")
    }
    assert found == set(files)
    alone, whole = (
        {r.path.relative_to(tmp_path).as_posix(): r.new for p in programs for r in p}
        for programs in (
            run.run_programs([tmp_path / "main.py"]),
            run.run_programs([tmp_path]),
        )
    )
    assert alone == whole and b"tf.layers" not in alone["main.py"]


def test_a_package_of_the_project_is_found_from_its_scripts(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = make_main("from lib.nets import build", "build")
    files = {"lib/__init__.py": "", "lib/nets.py": NETS, "scripts/main.py": text}
    write(tmp_path, files)
    main = tmp_path / "scripts" / "main.py"
    assert find_imported(main) == []
    write(tmp_path, {"setup.py": ""})
    assert find_imported(main) == [
        tmp_path / "lib" / "__init__.py",
        tmp_path / "lib" / "nets.py",
    ]
    monkeypatch.chdir(main.parent)
    assert len(find_imported(pathlib.Path("main.py"))) == 2


def test_a_notebook_has_its_modules(tmp_path: pathlib.Path) -> None:
    cell = {"cell_type": "code", "source": make_main("import nets", "nets.build")}
    book = {"cells": [{**cell, "metadata": {}, "outputs": []}], "nbformat": 4}
    write(tmp_path, {"main.ipynb": json.dumps(book), "nets.py": NETS})
    assert find_imported(tmp_path / "main.ipynb") == [tmp_path / "nets.py"]


@pytest.mark.parametrize(
    "files",
    [
        {"nets.py": "def build(x):\n    return x\n"},
        {
            "training_session/__init__.py": '"""Written beside your program by tf1to2."""\n'
        },
        {"../nets.py": NETS},
    ],
    ids=["no TensorFlow", "written by the tool", "of another directory"],
)
def test_other_files_are_not(tmp_path: pathlib.Path, files: dict[str, str]) -> None:
    text = make_main("import nets\nimport training_session", "nets.build")
    write(tmp_path / "here", {"main.py": text, **files})
    assert find_imported(tmp_path / "here" / "main.py") == []


def test_what_is_excluded_stays_out(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path, {"main.py": make_main("import nets", "nets.build"), "nets.py": NETS}
    )
    patterns = discover.Exclusions((discover.Patterns(tmp_path, ("nets.py",)),))
    assert find_imported(tmp_path / "main.py", patterns) == []


def test_a_copy_of_one_file_would_lack_them(tmp_path: pathlib.Path) -> None:
    write(
        tmp_path, {"main.py": make_main("import nets", "nets.build"), "nets.py": NETS}
    )
    with pytest.raises(copies.CopyError, match="Name the directory that has both"):
        with copies.Copy.begin_copy((tmp_path / "main.py",), tmp_path / "copy"):
            pass
    assert not (tmp_path / "copy").exists()
