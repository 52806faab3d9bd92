"""Private names of TensorFlow in graph mode: which stay, which are refused, and why."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from migrate.fallback.module import Part, bring_to_compat
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options
from reference import runner


def _brought(text: str, own: frozenset[str] = frozenset()) -> Migration:
    return bring_to_compat(text, Options(), "program.py", Part(starts=False, own=own))


def _only(text: str, own: frozenset[str] = frozenset()) -> Finding:
    (finding,) = _brought(text, own).findings
    return finding


def _file(module: str, use: str) -> str:
    package, _, leaf = module.rpartition(".")
    dot = "." if package else ""
    return (
        f"import tensorflow.compat.v1 as tf\n"
        f"from tensorflow.python{dot}{package} import {leaf}\n{use}\n"
    )


@pytest.mark.parametrize(
    ("module", "use", "said"),
    [
        (
            "ops.gen_nn_ops",
            "gen_nn_ops.conv3d_backprop_input_v2(a, b, c, s, 'SAME')",
            "op",
        ),
        ("tpu.ops.tpu_ops", "tpu_ops.outfeed_enqueue_tuple(x)", "op"),
        ("ops.summary_op_util", "summary_op_util.collect(a, b, c)", "same code"),
        ("saved_model.tag_constants", "print(tag_constants.SERVING)", "same code"),
        ("types.core", "class A(core.Tensor):\n  pass", "1.15.5 does not have it"),
        # An attribute of a class, of which no parameters are known.
        ("training.evaluation", "evaluation._StopAfterNEvalsHook(1).x(2)", "same code"),
        # Kept before, too: told now that its code is another one.
        ("framework.function", "function.Defun()(f)", "the tool assumes"),
        ("client.device_lib", "device_lib.list_local_devices()", "the tool assumes"),
    ],
)
def test_what_is_still_there_stays_and_is_told(
    module: str, use: str, said: str
) -> None:
    text = _file(module, use)
    found = _brought(text)
    assert found.text == text
    (finding,) = found.findings
    assert (finding.code, finding.outcome) == ("T117", Outcome.WARNED)
    assert said in finding.reason and "later TensorFlow may drop it" in finding.reason


def test_each_name_is_told_once() -> None:
    use = "tpu_ops.outfeed_enqueue_tuple(x)\ntpu_ops.outfeed_enqueue_tuple(y)"
    assert _only(_file("tpu.ops.tpu_ops", use)).line == 3


@pytest.mark.parametrize(
    ("module", "use", "said"),
    [
        (
            "framework.ops",
            "ops.register_dense_tensor_like_type(A)",
            "does not have any",
        ),
        ("saved_model.constants", "print(constants.TRAIN_OP_KEY)", "code changed"),
        ("framework.ops", "ops.internal_convert_to_tensor(x)", "code changed"),
        ("training.training_ops", "training_ops.apply_adam(x)", "other arguments"),
        ("ops.summary_op_util", "f(summary_op_util)", "passes a private module itself"),
        ("keras.backend", "backend.track_variable(x)", "another Keras"),
        ("keras.layers.recurrent_v2", "recurrent_v2.LSTM(3)", "another Keras"),
        # Calls are read by the parameters of the private function.
        ("tpu.ops.tpu_ops", "tpu_ops.outfeed_enqueue_tuple()", "needs `inputs`"),
        ("tpu.ops.tpu_ops", "tpu_ops.outfeed_enqueue_tuple(x, y=1)", "no argument `y`"),
        # TensorFlow 2.21 put an argument before `name`.
        (
            "ops.gen_resource_variable_ops",
            "gen_resource_variable_ops.assign_variable_op(a, b, 'n')",
            "2 arguments by place",
        ),
    ],
)
def test_what_is_refused(module: str, use: str, said: str) -> None:
    text = _file(module, use)
    found = _brought(text)
    assert found.text == text
    (finding,) = found.findings
    assert (finding.code, finding.outcome) == ("T151", Outcome.REFUSED)
    assert said in finding.reason and finding.line == 3


def test_compat_has_no_private_names_as_attributes() -> None:
    finding = _only("import tensorflow as tf\ntf.python.ops.gen_math_ops.exp(x)\n")
    assert finding.code == "T151"
    assert "from tensorflow.python.ops.gen_math_ops import exp" in finding.recipe


@pytest.mark.parametrize(
    ("module", "use", "new"),
    [
        ("keras.layers", "layers.Dense(3)", "tf.keras.layers.Dense(3)"),
        ("keras.layers.core", "core.Dense(3)", "tf.keras.layers.Dense(3)"),
        ("keras.engine.base_layer", "base_layer.Layer()", "tf.keras.layers.Layer()"),
        ("keras.backend", "backend.epsilon()", "tf.keras.backend.epsilon()"),
    ],
)
def test_keras_by_its_public_names(module: str, use: str, new: str) -> None:
    found = _brought(_file(module, use))
    assert not found.findings
    assert found.text == f"import tensorflow.compat.v1 as tf\n{new}\n"


# -- imports that fail -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("from tensorflow.python.distribute import estimator_training", "estimator_tr"),
        ("import tensorflow.python.distribute.estimator_training as e", "estimator_tr"),
        ("import tensorflow.python.distribute.estimator_training", "estimator_tr"),
        (
            "from tensorflow.python.eager.function import Function",
            "does not have any more",
        ),
        ("from tensorflow_estimator.python.estimator import util", "by themselves"),
        ("import tensorflow_estimator as e", "by themselves"),
    ],
)
def test_an_import_that_fails_is_told(line: str, said: str) -> None:
    name = line.split()[-1]
    head = "import tensorflow.compat.v1 as tf\n"
    found = _brought(f"{head}{line}\nprint(tf.zeros([1]), {name.partition('.')[0]})\n")
    assert found.findings
    finding = found.findings[0]
    assert finding.code == "T151" and finding.outcome is Outcome.REFUSED
    assert said in finding.reason


@pytest.mark.parametrize(
    "text",
    [
        # Nothing reads it: it goes.
        "from tensorflow.python.distribute import estimator_training\n",
        # Somebody has thought of it.
        "try:\n  import tensorflow.python.distribute.estimator_training\n"
        "except ImportError:\n  pass\n",
        # A file of the program itself.
        "from tensorflow_estimator.python import own\nown.f()\n",
        "import graph_estimators\nimport tensorflow_estimator\n",
    ],
)
def test_an_import_that_does_not_fail_is_not_told(text: str) -> None:
    own = frozenset({"tensorflow_estimator"} if "own" in text else ())
    found = _brought(
        "import tensorflow.compat.v1 as tf\n" + text + "tf.zeros([1])\n", own
    )
    assert not found.findings


# -- what never runs ---------------------------------------------------------------------

_FLAG = """\
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import ops
try:
  from tensorflow.python.types import core
  TF_23 = True
except ImportError:
  TF_23 = False
{between}
if not TF_23:
  ops.register_dense_tensor_like_type(A)
"""


def test_what_an_import_that_succeeds_leaves_out_is_not_judged() -> None:
    assert not _brought(_FLAG.format(between="print(TF_23)")).findings


@pytest.mark.parametrize(
    "text",
    [
        _FLAG.format(between="TF_23 = False"),
        _FLAG.format(between="def f():\n  global TF_23\n  TF_23 = False"),
        _FLAG.format(between="").replace("not TF_23", "TF_23"),
        _FLAG.format(between="").replace("types import core", "no import thing"),
        _FLAG.format(between="").replace("ImportError", "KeyError"),
    ],
)
def test_what_may_run_is_judged(text: str) -> None:
    assert "T151" in {f.code for f in _brought(text).findings}


def test_a_handler_of_an_import_that_succeeds_is_not_judged() -> None:
    text = (
        "from tensorflow.python.ops import summary_op_util\n"
        "try:\n"
        "  from tensorflow.python.distribute import summary_op_util as other\n"
        "except ImportError:\n"
        "  other = summary_op_util\n"
        "if other.skip_summary():\n"
        "  print(summary_op_util.collect(a, b, c))\n"
    )
    assert {f.code for f in _brought(text).findings} == {"T117"}


# -- and it runs -------------------------------------------------------------------------

_PROGRAM = """\
import tensorflow as tf
from tensorflow.python.ops import gen_math_ops
from tensorflow.python.ops.gen_nn_ops import conv3d_backprop_input_v2
from tensorflow.python.saved_model import tag_constants
from tensorflow.python.ops import metrics_impl

x = tf.placeholder(tf.float32, [1, 2, 2, 2, 1])
filters = tf.reshape(tf.range(8.0), [2, 2, 2, 1, 1])
back = conv3d_backprop_input_v2([1, 3, 3, 3, 1], filters, x, [1] * 5, "VALID")
ratio = metrics_impl._safe_scalar_div(tf.reduce_sum(back), tf.constant(7.0), "ratio")
with tf.Session() as session:
  fed = {x: [[[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0], [6.0]], [[7.0], [8.0]]]]]}
  found = session.run([gen_math_ops.minimum(back, 30.0), ratio], fed)
print("found", [float(v) for v in found[0].ravel()], float(found[1]))
print("found", tag_constants.SERVING)
"""


def _lines(python: str, path: pathlib.Path) -> list[str]:
    done = subprocess.run(
        [python, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=runner.ENVIRONMENT,
        timeout=200,
    )
    return [line for line in done.stdout.splitlines() if line.startswith("found")]


def test_kept_names_compute_the_same(tf1: str, tmp_path: pathlib.Path) -> None:
    """Whole numbers, so that both are equal to the last bit."""
    found = bring_to_compat(_PROGRAM, Options(), "program.py", Part())
    assert {f.code for f in found.findings} == {"T117"}
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(_PROGRAM)
    new.write_text(found.text)
    before = _lines(tf1, old)
    assert len(before) == 2 and _lines(sys.executable, new) == before
    new.write_text(found.text.replace("30.0", "31.0"))
    assert _lines(sys.executable, new) != before
