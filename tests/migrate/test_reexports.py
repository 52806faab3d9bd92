"""A name for TensorFlow that another file of the tree has is TensorFlow's here."""

from __future__ import annotations

import pathlib

import pytest

from migrate import run


def tree(base: pathlib.Path, files: dict[str, str]) -> dict[str, run.FileResult]:
    for name, text in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {
        str(result.path.relative_to(base)): result for result in run.run_tree([base])
    }


USE = "x = 1\n{}\ny = tf.log(2.0)\n"


@pytest.mark.parametrize(
    ("statement", "exported", "written"),
    [
        (
            "from lib.compat import tf",
            "import tensorflow as tf",
            "import tensorflow as tf",
        ),
        (
            "from .compat import tf  # ours",
            "import tensorflow as tf  # noqa",
            "import tensorflow as tf  # ours",
        ),
        (
            "from lib.compat import t as tf",
            "import tensorflow as t",
            "import tensorflow as tf",
        ),
        (
            "from lib.compat import (\n    os as own,\n    tf,  # TensorFlow\n)",
            "import tensorflow as tf",
            "from lib.compat import (\n    os as own,\n      # TensorFlow\n)\n"
            "import tensorflow as tf",
        ),
        (
            "from lib.compat import os as own, tf  # both",
            "import tensorflow as tf",
            "from lib.compat import os as own\nimport tensorflow as tf  # both",
        ),
    ],
)
def test_it_is_followed(
    statement: str, exported: str, written: str, tmp_path: pathlib.Path
) -> None:
    found = tree(
        tmp_path,
        {
            "lib/__init__.py": "",
            "lib/compat.py": f"import os\n{exported}\n",
            "lib/use.py": USE.format(statement),
        },
    )
    result = found["lib/use.py"]
    assert result.new.decode() == f"x = 1\n{written}\ny = tf.math.log(2.0)\n"
    end = statement.count("\n") + 2
    codes = [(f.line, f.code) for f in result.findings]
    assert codes == [(end, "T118"), (end + 1, "T102")]
    assert not found["lib/compat.py"].changed


def test_a_package_may_have_it_in_its_init(tmp_path: pathlib.Path) -> None:
    files = {"lib/__init__.py": "import tensorflow as tf\n", "use.py": USE}
    files["use.py"] = USE.format("from lib import tf")
    assert b"tf.math.log" in tree(tmp_path, files)["use.py"].new


@pytest.mark.parametrize(
    "exported",
    [
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n",
        "import tensorflow as tf\ntf = wrap(tf)\n",
        "import numpy as tf\n",
    ],
)
def test_what_may_be_another_thing_is_not(
    exported: str, tmp_path: pathlib.Path
) -> None:
    files = {"compat.py": exported, "use.py": USE.format("from compat import tf")}
    result = tree(tmp_path, files)["use.py"]
    codes = [f.code for f in result.findings]
    assert codes == ([] if "numpy" in exported else ["T131"])
    assert "y = tf.log(2.0)" in (result.new or b"y = tf.log(2.0)").decode()


def test_compat_v1_is_kept_as_it_is_imported(tmp_path: pathlib.Path) -> None:
    files = {
        "compat.py": "import tensorflow.compat.v1 as tf\n",
        "use.py": USE.format("from compat import tf"),
    }
    result = tree(tmp_path, files)["use.py"]
    assert not result.changed
    assert [(f.line, f.code) for f in result.findings] == [(3, "T105")]


def test_what_came_out_is_not_changed_again(tmp_path: pathlib.Path) -> None:
    files = {"compat.py": "import tensorflow as tf\n"}
    files["use.py"] = USE.format("from compat import tf")
    files["use.py"] = tree(tmp_path, files)["use.py"].new.decode()
    assert not tree(tmp_path, files)["use.py"].changed


TOLD = {
    "a condition": (
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n",
        "from lib.compat import tf",
        "tf.log(2.0)",
    ),
    "a choice by version": (
        "import tensorflow as tf\n"
        "if tf.__version__ > '2':\n    import tensorflow.compat.v1 as tf\n",
        "from .compat import tf",
        "tf.log(2.0)",
    ),
    "a star": ("import tensorflow as tf\n", "from lib.compat import *", "tf.log(2.0)"),
    "a module's name": (
        "import tensorflow as tf\nlayers = tf.layers\n",
        "from lib.compat import layers",
        "layers.dense(z, 1)",
    ),
    "a module": (
        "import tensorflow as tf\n",
        "from lib import compat",
        "compat.tf.log(z)",
    ),
    "a module by another name": (
        "import tensorflow as tf\n",
        "import lib.compat as c",
        "c.tf.log(z)",
    ),
    "all in parentheses": (
        "import tensorflow as tf\n",
        "from lib.compat import (\n    tf)",
        "tf.log(2.0)",
    ),
}


@pytest.mark.parametrize("what", TOLD)
def test_what_is_not_followed_is_told(what: str, tmp_path: pathlib.Path) -> None:
    exported, statement, use = TOLD[what]
    files = {"lib/__init__.py": "", "lib/compat.py": exported}
    files["lib/use.py"] = f"x = 1\n{statement}\ny = {use}\n"
    result = tree(tmp_path, files)["lib/use.py"]
    assert [(f.line, f.code) for f in result.findings] == [(2, "T131")]
    new = result.new.decode()
    lines = new.split("\n")
    assert lines[1].startswith("# TODO(tf1to2): T131 ")
    assert "\n".join([lines[0], *lines[2:]]) == files["lib/use.py"]
    files["lib/use.py"] = new
    again = tree(tmp_path, files)["lib/use.py"]
    assert not again.changed
    assert [(f.line, f.code) for f in again.findings] == [(3, "T131")]


@pytest.mark.parametrize(
    ("exported", "statement", "use"),
    [
        (
            "import tensorflow as tf\nlog = tf.log\n",
            "from lib.compat import log",
            "log(2.0)",
        ),
        ("import tensorflow as tf\n", "from lib.compat import *", "os.name"),
        ("import tensorflow as tf\n", "from lib import compat", "compat.f(2.0)"),
        ("import numpy as tf\n", "from lib.compat import tf", "tf.log(2.0)"),
    ],
)
def test_where_nothing_is_unseen_nothing_is_told(
    exported: str, statement: str, use: str, tmp_path: pathlib.Path
) -> None:
    files = {"lib/__init__.py": "", "lib/compat.py": f"import os\n{exported}"}
    files["lib/use.py"] = f"{statement}\ny = {use}\n"
    assert tree(tmp_path, files)["lib/use.py"].findings == ()
