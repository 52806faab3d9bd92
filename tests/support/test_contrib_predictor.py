"""The emitted predictor gives what TensorFlow 1.15.5's gave, of a model that 1.15.5 wrote."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from migrate.compiler import migrate_text
from migrate.support import contrib_hparams
from reference.environment import find_tf1

pytest.importorskip("tensorflow")
EMITTED = pathlib.Path(contrib_hparams.__file__).parent

MODEL = """
import numpy as np
import tensorflow as tf
with tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.matmul(x, tf.get_variable("w", initializer=[[1.0], [2.0], [4.0]]))
    z = tf.reduce_sum(x) + tf.get_variable("b", initializer=0.5)
    session.run(tf.global_variables_initializer())
    builder = tf.saved_model.builder.SavedModelBuilder({path!r})
    one = tf.saved_model.predict_signature_def({{"x": x}}, {{"y": y, "z": z}})
    other = tf.saved_model.predict_signature_def({{"x": x}}, {{"y": y * 3.0}})
    builder.add_meta_graph_and_variables(
        session, ["serve"], {{"serving_default": one, "other": other}}
    )
    builder.save()
"""
PREDICT = """
import numpy as np
import tensorflow as tf
predict = tf.contrib.predictor.from_saved_model({path!r})
inputs, outputs = predict.feed_tensors, predict.fetch_tensors
known = [inputs["x"].shape.as_list()[1]]
known += [outputs["y"].shape.ndims, len(inputs), len(outputs), outputs["z"].shape.ndims]
known += [inputs["x"].dtype.as_numpy_dtype is np.float32]
found = predict({{"x": [[1, 2, 3], [0.5, 0, 1]]}})
other = tf.contrib.predictor.from_saved_model({path!r}, signature_def_key="other")
found["known"] = np.array(known)
found["other"] = other({{"x": np.ones([1, 3])}})["y"]
try:
    predict({{"w": 1}})
except ValueError:
    np.savez({out!r}, **found)
"""


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_predictions_are_those_of_tf1(tmp_path: pathlib.Path) -> None:
    path, found = str(tmp_path / "model"), {}
    environment = {k: v for k, v in os.environ.items() if k != "TF2_BEHAVIOR"}
    environment["TF_CPP_MIN_LOG_LEVEL"] = "3"
    for python, out in ((str(find_tf1()), "one.npz"), (sys.executable, "two.npz")):
        out = str(tmp_path / out)
        source = textwrap.dedent(PREDICT.format(path=path, out=out))
        if python == sys.executable:
            migration = migrate_text(source)
            assert migration.support == ("contrib_predictor.py",)
            source = migration.text
            environment["PYTHONPATH"] = str(EMITTED)
        else:
            source = MODEL.format(path=path) + source
        command = [python, "-W", "ignore", "-c", source]
        subprocess.run(command, env=environment, timeout=300, check=True)
        found[python] = dict(np.load(out))
    one, two = found.values()
    assert set(one) == set(two) == {"y", "z", "other", "known"}
    for name, value in one.items():
        assert value.dtype == two[name].dtype
        assert (value == two[name]).all(), name
