"""A name for TensorFlow that another file of the tree has is TensorFlow's here."""

from __future__ import annotations

import pathlib
import subprocess
import sys

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


STARS = {
    "one": ({"compat.py": "import tensorflow as tf\n"}, "from compat import *"),
    "two": (
        {
            "compat.py": "import tensorflow as tf\n",
            "data.py": "import tensorflow as tf\nsize = 3\n",
        },
        "from compat import *\nfrom data import *  # size",
    ),
    "through another": (
        {
            "compat.py": "import tensorflow as tf\n",
            "middle.py": "from compat import *\nx = 1\n",
        },
        "from middle import *",
    ),
    "listed": (
        {"compat.py": "import tensorflow as tf\n__all__ = ['tf', 'x']\n"},
        "from compat import *",
    ),
    "beside a package": (
        {"compat.py": "import tensorflow as tf\n"},
        "from compat import *\nfrom math import *",
    ),
}


@pytest.mark.parametrize("case", STARS)
def test_a_star_is_followed(case: str, tmp_path: pathlib.Path) -> None:
    files, statement = STARS[case]
    use = USE.format(statement)
    result = tree(tmp_path, {**files, "use.py": use})["use.py"]
    first, *others = statement.split("\n")
    imports = "\n".join([first, "import tensorflow as tf", *others])
    assert result.new.decode() == f"x = 1\n{imports}\ny = tf.math.log(2.0)\n"
    assert [f.code for f in result.findings] == ["T118", "T102"]
    files = {**files, "use.py": result.new.decode()}
    again = tree(tmp_path, files)
    assert not again["use.py"].changed and not again["use.py"].findings
    assert not again["compat.py"].findings


def test_what_takes_tensorflow_by_a_star_runs(tmp_path: pathlib.Path) -> None:
    """On today's TensorFlow, which has no `tf.log`; the star still brings the rest."""
    pytest.importorskip("tensorflow")
    files = {
        "compat.py": "import tensorflow as tf\nfrom tensorflow import keras\nsize = 3\n",
        "use.py": "from compat import *\nassert keras\n"
        "print(tf.to_int32(tf.log(float(size)) * 1e6))\n",
    }
    for name, result in tree(tmp_path, files).items():
        if result.changed:
            (tmp_path / name).write_bytes(result.new)
    done = subprocess.run(
        [sys.executable, "use.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "1098612" in done.stdout, done.stderr[-2000:]


def test_what_a_star_brings_beside_tensorflow_is_imported_too(
    tmp_path: pathlib.Path,
) -> None:
    """As the other file does; only what is read."""
    files = {
        "compat.py": "import tensorflow as tf\nfrom tensorflow.contrib import layers, rnn\n"
        "import tensorflow.keras.backend as K\n",
        "use.py": "from compat import *\ny = layers.fully_connected(K.sum(tf.log(z)), 1)\n",
    }
    result = tree(tmp_path, files)["use.py"]
    assert [(f.line, f.code) for f in result.findings][:1] == [(1, "T118")]
    text = result.new.decode()
    assert "tf.math.log" in text and "import rnn" not in text
    assert "layers.fully_connected" in text
    compile(text, "use.py", "exec")
    assert ";" not in text


OTHERS = {
    "bound here": ("import tensorflow as tf\n", "tf = None\nfrom compat import *"),
    "another's": (
        "import tensorflow as tf\n",
        "from compat import *\nfrom other import *",
    ),
    "a part, and a package's names": (
        "from tensorflow import log as tf\n",
        "from compat import *\nfrom math import *",
    ),
    "private": ("import tensorflow as _tf\ntf = 1\n", "from compat import *"),
    "not in __all__": (
        "import tensorflow as tf\n__all__ = ['x']\n",
        "from compat import *",
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_a_star_may_not_bring_is_not_written(
    case: str, tmp_path: pathlib.Path
) -> None:
    exported, statement = OTHERS[case]
    files = {"compat.py": exported, "other.py": "import numpy as tf\n"}
    files["use.py"] = f"{statement}\ny = tf.log(2.0)\n"
    result = tree(tmp_path, files)["use.py"]
    new = (result.new or files["use.py"].encode()).decode()
    assert "import tensorflow" not in new and "y = tf.log(2.0)" in new


def test_parts_of_tensorflow_are_followed_too(tmp_path: pathlib.Path) -> None:
    """`slim` of another file is contrib's here, not a name that nobody looks at."""
    files = {
        "nets.py": "from tensorflow.contrib import slim\n",
        "use.py": "from nets import slim\ny = slim.conv2d(x, 3, 3)\n",
    }
    own = {"use.py": files["use.py"].replace("nets", "tensorflow.contrib")}
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    through = tree(tmp_path / "a", files)["use.py"]
    direct = tree(tmp_path / "b", own)["use.py"]
    assert (through.new or b"") == (direct.new or b"")
    codes = [f.code for f in direct.findings]
    assert [f.code for f in through.findings if f.code != "T118"] == codes != []


def test_what_is_only_handed_on_stays(tmp_path: pathlib.Path) -> None:
    """As private parts do: what becomes of them is said where they are imported."""
    files = {
        "nets.py": "from tensorflow.contrib import slim\n"
        "from tensorflow.python.framework import ops\n",
        "api.py": "from nets import slim\n",
        "use.py": "from nets import ops\ny = ops.convert_to_tensor(1)\n",
    }
    found = tree(tmp_path, files)
    assert not found["api.py"].findings and not found["use.py"].findings
    assert [f.line for f in found["nets.py"].findings] == [1, 2]


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
    assert codes == ([] if "numpy" in exported else ["T115"])
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
    "a star": (
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n",
        "from lib.compat import *",
        "tf.log(2.0)",
    ),
    "a star of what is not handed out": (
        "import tensorflow as tf\n__all__ = [n for n in dir() if n != 'os']\n",
        "from lib.compat import *",
        "tf.log(2.0)",
    ),
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
    assert [(f.line, f.code) for f in result.findings] == [(2, "T115")]
    new = result.new.decode()
    lines = new.split("\n")
    assert lines[1].startswith("# TODO(tf1to2): T115 ")
    assert "\n".join([lines[0], *lines[2:]]) == files["lib/use.py"]
    files["lib/use.py"] = new
    again = tree(tmp_path, files)["lib/use.py"]
    assert not again.changed
    assert [(f.line, f.code) for f in again.findings] == [(3, "T115")]


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
