"""A name for TensorFlow that another file of the tree has is TensorFlow's here."""

from __future__ import annotations

import pathlib

import pytest

from migrate import run
from migrate.findings import Outcome


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
    assert [(f.line, f.code) for f in result.findings] == [(2, "T118"), (3, "T102")]
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
    assert not result.changed
    assert not [f for f in result.findings if f.outcome is Outcome.REWRITTEN]


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
