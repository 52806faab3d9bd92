"""Lists the public attributes of TensorFlow 1.15.5's objects that results replace.

    python -m reference.object_attributes --tf1 PYTHON

writes `object_attributes.json`. A test sees to it that each exists on what
replaces the object, or is refused at its line. The dump runs under Python 3.7.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys

# What a result has objects of its own for.
# (Of `tf.contrib` it is the class that `from_saved_model` makes an object of.)
REPLACED = (
    "tf.contrib.predictor.Predictor",
    "tf.data.Dataset",
    "tf.Variable",
    "tf.Session",
    "tf.data.Iterator",
    "tf.summary.FileWriter",
    "tf.train.Coordinator",
    "tf.train.MonitoredSession",
    "tf.train.Saver",
    "tf.train.Scaffold",
    "tf.train.Server",
    "tf.train.SessionManager",
    "tf.train.SessionRunContext",
    "tf.train.SessionRunValues",
    "tf.train.Supervisor",
    "tf.train.SyncReplicasOptimizer",
)
# What stays an object of TensorFlow's own.
KEPT = (
    *("tf.DType", "tf.Graph", "tf.IndexedSlices", "tf.Operation", "tf.SparseTensor"),
    *("tf.Tensor", "tf.TensorArray", "tf.TensorShape", "tf.GradientTape"),
    *("tf.io.TFRecordWriter", "tf.train.AdamOptimizer", "tf.train.ClusterSpec"),
    *("tf.train.AdagradOptimizer", "tf.train.GradientDescentOptimizer"),
    *("tf.train.MomentumOptimizer", "tf.train.RMSPropOptimizer"),
    *("tf.train.ExponentialMovingAverage", "tf.train.Optimizer", "tf.train.Checkpoint"),
)
CLASSES = (*REPLACED, *KEPT)
TABLE = pathlib.Path(__file__).with_suffix(".json")


def public() -> dict[str, list[str]]:
    """The attributes by class, in the process of TensorFlow 1.15.5."""
    import tensorflow as tf
    from tensorflow.contrib.predictor import predictor

    found = {}
    for name in CLASSES:
        value = predictor if name.startswith("tf.contrib.predictor.") else tf
        for part in name.replace(".contrib.predictor", "").split(".")[1:]:
            value = getattr(value, part)
        found[name] = sorted(a for a in dir(value) if not a.startswith("_"))
    return found


def dumped(python: str) -> dict[str, list[str]]:
    """The same, asked of an interpreter with TensorFlow 1.15.5."""
    told = subprocess.run(
        [python, __file__, "--dump"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        check=True,
        timeout=120,
    )
    found: dict[str, list[str]] = json.loads(told.stdout)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tf1")
    parser.add_argument("--dump", action="store_true")
    arguments = parser.parse_args()
    if arguments.dump:
        sys.stdout.write(json.dumps(public()))
    else:
        TABLE.write_text(json.dumps(dumped(arguments.tf1), indent=1) + "\n")
