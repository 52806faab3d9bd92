"""Imports that no use answers for, names looked up by text, and files of compat.v1."""

from __future__ import annotations

import ast

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome


def refused(text: str) -> list[tuple[int, str]]:
    return [
        (f.line, f.code)
        for f in migrate_text(text).findings
        if f.outcome is Outcome.REFUSED
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from tensorflow import *\nimport tensorflow as tf\ntf.log\n", [(1, "T115")]),
        ("import tensorflow as tf\ntf.log\ngetattr(tf.nn, name)\n", [(3, "T115")]),
        ('import tensorflow as tf\ntf.log\ngetattr(tf, "log")\n', [(3, "T115")]),
        ('import tensorflow as tf\ntf.log\ngetattr(tf.nn, "relu")\n', []),
        ('import tensorflow as tf\ntf.log\nhasattr(tf, "Session")\n', [(3, "T115")]),
        ("import tensorflow as tf\ntf.log\ngetattr(x, name)\n", []),
        ("from tensorflow.python.platform import gfile\nf(gfile)\n", [(2, "T111")]),
        # Its uses cannot be followed: it is two things.
        (
            "try:\n  from tensorflow.contrib import slim\nexcept ImportError:\n"
            "  import tf_slim as slim\nslim.conv2d\n",
            [(2, "T111")],
        ),
    ],
)
def test_what_no_use_answers_for(text: str, expected: list[tuple[int, str]]) -> None:
    assert refused(text) == expected


def test_a_name_that_is_none_where_the_import_fails_is_followed() -> None:
    text = (
        "try:\n    from tensorflow.python.ops import math_ops\n"
        "except ImportError:\n    math_ops = None\n"
        "y = math_ops.log(x)\n"
    )
    new = migrate_text(text).text
    assert "y = tf.math.log(x)" in new
    assert "math_ops import" not in new
    assert "try:" not in new
    compile(new, "new", "exec")


def test_imports_in_functions_go_with_their_uses() -> None:
    text = (
        "def f(x):\n    from tensorflow.python.ops import array_ops\n"
        "    return array_ops.to_float(x), array_ops.zeros([2])\n"
    )
    new = migrate_text(text)
    assert [f.code for f in new.findings if f.outcome is Outcome.REFUSED] == ["T111"]
    text = text.replace("array_ops.to_float(x), ", "")
    new = migrate_text(text)
    assert "tensorflow.python" not in new.text
    assert "return tf.zeros([2])" in new.text


COMPAT = """\
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import array_ops
from tensorflow.python.ops import math_ops
MODE = tf.estimator.ModeKeys.TRAIN
a = tf.Session()
b = array_ops.placeholder(tf.float32)
c = math_ops.argmax_v2(b, 0)
d = tf.layers.dense(b, 1)
e = tf.log(b)
"""


def test_compat_v1_is_kept_and_what_it_lacks_is_not() -> None:
    result = migrate_text(COMPAT)
    assert result.text.splitlines() == [
        "import tensorflow.compat.v1 as tf",
        "from tf_keras.api._v1.keras.__internal__.legacy import layers as tf1_layers",
        'MODE = "train"',
        "a = tf.Session()",
        "b = tf.placeholder(tf.float32)",
        "c = tf.compat.v2.argmax(b, 0)",
        "d = tf1_layers.dense(b, 1)",
        "e = tf.log(b)",
    ]
    codes = {(f.line, f.code) for f in result.findings}
    assert {(4, "E101"), (5, "T105"), (6, "T102"), (8, "L104"), (9, "T105")} <= codes
    assert migrate_text(result.text).text == result.text


def test_another_function_of_that_name_is_spelled_so_that_it_stays() -> None:
    text = (
        "import tensorflow as tf\ny = tf.where_v2(c, a, b)\nz = tf.contrib.bayesflow\n"
    )
    new = migrate_text(text).text
    assert "y = tf.compat.v2.where(c, a, b)" in new
    assert migrate_text(new).text == new


def test_a_name_for_modes() -> None:
    text = (
        "import tensorflow as tf\nModes = tf.estimator.ModeKeys\n"
        "y = tf.log(x) if mode == Modes.TRAIN else None\n"
    )
    names: dict[str, object] = {"x": 1.0, "mode": "other"}
    new = migrate_text(text).text
    pytest.importorskip("tensorflow")
    exec(new, names)
    assert vars(names["Modes"]) == {
        "TRAIN": "train",
        "EVAL": "eval",
        "PREDICT": "infer",
    }


def test_an_attribute_that_the_program_gives_to_tensorflow() -> None:
    new = migrate_text(
        "import tensorflow as tf\ntf.own = {}\ntf.own.clear()\ntf.others.clear()\n"
    )
    assert [(f.line, f.code) for f in new.findings if f.symbol != "tf"] == [
        (3, "T117"),
        (4, "T111"),
    ]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("from tensorflow import placeholder, Session, float32", "float32"),
        ("from tensorflow import float32, placeholder, Session", "float32"),
        ("from tensorflow import placeholder, float32, Session", "float32"),
        ("from tensorflow import (placeholder,\n    float32,\n    Session)", "float32"),
        ("from tensorflow import (placeholder,\n    float32, Session,)", "float32"),
        ("from tensorflow import placeholder, float32, \\\n    Session", "float32"),
    ],
)
def test_names_that_tf2_lacks_go_out_of_an_import_that_stays(
    line: str, kept: str
) -> None:
    text = (
        f"{line}\nx = placeholder(float32, [])\n"
        "with Session() as s:\n    print(s.run(x, {x: 0.0}))\n"
    )
    done = migrate_text(text)
    assert not [f for f in done.findings if f.outcome is not Outcome.REWRITTEN]
    (found,) = [
        node
        for node in ast.walk(ast.parse(done.text))
        if isinstance(node, ast.ImportFrom)
    ]
    assert [alias.name for alias in found.names] == [kept]


def test_a_name_that_is_read_stays_in_its_import() -> None:
    text = "from tensorflow import placeholder, float32\nf(placeholder, float32)\n"
    assert "placeholder" in migrate_text(text).text
