"""Modules that a file hands around: what TensorFlow 2 lacks of them is told at its line."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

UTILS = "tf.keras.utils"


def refused(text: str) -> list[int]:
    """The lines of names that are refused."""
    findings = migrate_text(f"import tensorflow as tf\n{text}\n").findings
    assert {f.code for f in findings if f.outcome is Outcome.REFUSED} <= {"T111"}
    return sorted({f.line for f in findings if f.outcome is Outcome.REFUSED})


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"u = {UTILS}\nu.multi_gpu_model(1)", [3]),
        (f"u = {UTILS} if True else None\nu.multi_gpu_model(1)", [3]),
        (f"u = None or {UTILS}\nu.multi_gpu_model(1)", [3]),
        (f"k = {{'u': {UTILS}}}\nk['u'].multi_gpu_model(1)", [3]),
        (f"k = [{UTILS}]\nk[0].multi_gpu_model(1)", [3]),
        (f"def f(u={UTILS}):\n    u.multi_gpu_model(1)", [3]),
        ("def f(k):\n    k.utils.multi_gpu_model(1)\nf(tf.keras)", [3]),
        (
            "class A:\n    k = tf.keras\n    def f(self):\n        self.k.utils.multi_gpu_model(1)",
            [5],
        ),
        (
            "class A:\n    def __init__(self):\n        self.k = tf.keras\n"
            "    def f(self):\n        self.k.utils.multi_gpu_model(1)",
            [6],
        ),
        (f"for u in [{UTILS}]:\n    u.multi_gpu_model(1)", [3]),
        (f"print((u := {UTILS}).multi_gpu_model(1))", [2]),
        ("from tensorflow.keras.utils import *\nmulti_gpu_model(1)", [3]),
        (
            "from tensorflow import keras\nlayers = keras.layers\nlayers.CuDNNLSTM(3)",
            [4],
        ),
        ("K = tf.keras.backend\nK.get_session()\nK.image_dim_ordering()", [3, 4]),
        ("from tf_keras import backend as K\nK.get_session()", [3]),
        ("import tf_keras\nK = tf_keras.backend\nK.set_session(1)", [4]),
        ("from tf_keras.backend import get_session", [2]),
    ],
)
def test_what_a_module_lacks_is_told_where_it_is_asked_for(
    text: str, lines: list[int]
) -> None:
    assert refused(text) == lines


@pytest.mark.parametrize(
    "text",
    [
        "L = tf.keras.layers\nL.Dense(3)",
        "import tf_keras\nK = tf_keras.backend\nK.floatx()",
        "class A:\n    def __init__(self, k):\n        self.k = k\n    def f(self):\n        self.k.missing()",
        "class A:\n    k = tf.keras\nclass B:\n    k = 'text'\nprint(B().k.upper())",
        "def f(u):\n    u.missing()\nf(tf.keras)\nf(object())",
        "from tensorflow.keras.utils import *\ndef multi_gpu_model(n): return n\nmulti_gpu_model(1)",
        "m = tf.keras.Model\nm.anything_of_a_class",
        "x = tf.constant(1.0)\nx.missing",
        "from tf_keras.src import backend\nbackend.missing()",
        "import tf_keras\nassert tf_keras, tf_keras.layers",
        "import tf_keras as keras\nk = keras\nk.Model()",
        "class A:\n    def f(self):\n        self.f().missing\nA().f()",
    ],
)
def test_what_may_be_another_thing_is_left(text: str) -> None:
    assert not refused(text)
