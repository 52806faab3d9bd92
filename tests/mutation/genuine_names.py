"""Names that TensorFlow has: its own, those of its private files, and attributes of objects.

    python -m tests.mutation.genuine_names PYTHON_WITH_TF1

asks TensorFlow 1.15.5 and 2.21 for what the generated tables (`symbols.tsv`, `signatures.tsv`)
do not have: private names that a table spells, and the attributes of objects. It writes
`genuine_names.json`.
"""

from __future__ import annotations

import functools
import importlib
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tests.mutation import programs

RECORDED = pathlib.Path(__file__).with_name("genuine_names.json")

# Runs under both TensorFlows: names and classes on stdin, what is there of them on stdout.
_ASK = """
import functools, importlib, json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
try:
    import tf_keras
except ImportError:
    pass
sys.path.insert(0, os.getcwd())

def exists(name):
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(["tensorflow"] + parts[1:count]))
        except Exception:
            continue
        try:
            functools.reduce(getattr, parts[count:], found)
            return True
        except AttributeError:
            return False
    return False

asked = json.load(sys.stdin)
found = {"names": [n for n in asked["names"] if exists(n)], "attributes": {}}
for text in asked["objects"]:
    try:
        made = eval(text)
    except Exception:
        continue
    found["attributes"][text] = sorted(set(dir(made)))
json.dump(found, sys.stdout)
"""
# What is made of TensorFlow, to be asked for its attributes.
_OBJECTS = (
    "tf.Session tf.Tensor tf.Variable tf.Operation tf.Graph tf.train.Optimizer tf.TensorShape "
    "tf.data.Dataset tf.data.Iterator tf.compat.v1.data.Iterator tf.train.Saver "
    "tf.train.Supervisor tf.train.Coordinator tf.train.SessionManager tf.train.MonitoredSession "
    "tf.train.Scaffold tf.train.SessionRunHook tf.train.SessionRunContext "
    "tf.estimator.Estimator tf.keras.Model tf.keras.Sequential tf.keras.layers.Layer "
    "tf.keras.layers.Dense(1) tf.summary.FileWriter tf.gfile.GFile tf.distribute.Strategy "
    "tf.keras.optimizers.SGD tf.keras.metrics.Metric tf.errors.OpError tf.train.ClusterSpec "
    "tf.compat.v1.Session tf.compat.v1.data.Dataset tf.compat.v1.train.Optimizer "
    "tf_keras.Model tf_keras.layers.Layer tf_keras.callbacks.Callback() "
    "tf_keras.Sequential([tf_keras.layers.Dense(1,input_shape=(1,))])"
).split()
_DOTTED = re.compile(r"tf(\.\w+)*(\.\w*[^\W_]|\.__\w+__)")
_PREFIX = re.compile(r"tf(\.\w+)*[._]")


def _texts_of(table: str) -> Iterator[tuple[str, str]]:
    """The texts of a table, each with the variable that has it."""
    for variable, value in vars(
        importlib.import_module(f"migrate.tables.{table}")
    ).items():
        if not variable.startswith("__"):
            for text in programs._texts(value):
                yield variable, text


@functools.cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


def attributes(*objects: str) -> frozenset[str]:
    """The attributes of objects, in whichever TensorFlow has them."""
    of = _recorded()["attributes"]
    assert {*objects} <= {*of}, {*objects} - {*of}
    return frozenset(name for text in objects for name in of[text])


@functools.cache
def _public_names() -> frozenset[str]:
    from migrate.tables import signatures, symbols

    return frozenset({*symbols.symbols(), *symbols.modules(), *signatures._rows()})


def is_public(name: str) -> bool:
    """Whether one of both TensorFlows has a public name."""
    from migrate.tables import signatures, symbols

    known = name in _public_names() or signatures.exists(name)
    return known or symbols.exists_in_target(name)


def _is_there(name: str) -> bool:
    return is_public(name) or name in _recorded()["names"]


# Tables whose names are looked at, without those that have names of older releases alone.
TABLES = (
    *("callbacks", "compiled_keras", "contrib", "contrib_graph", "contrib_metrics"),
    *("contrib_training", "estimator", "estimator_names", "first_values", "graph_only"),
    *("hooks", "host_effects", "keras_contrib", "keras_defaults", "keras_fit"),
    *("keras_graphs", "keras_models", "layers", "loaded_sessions", "lost_attributes"),
    *("named_tensors", "one_element", "one_tensor", "optimizers", "partitioners"),
    *("plain_calls", "program_kinds", "queues", "random_symbols", "recurrent"),
    *("replaced_objects", "roles", "scaffolds", "semantics", "streaming_metrics"),
    *("supervisor", "worker_state"),
)
# Names that 1.15.5 does not have any more -> the release that had them.
OLDER = {
    **{
        f"tf.contrib.estimator.{name}": "1.12"
        for name in (
            *("make_early_stopping_hook", "read_eval_metrics", "stop_if_higher_hook"),
            *("stop_if_lower_hook", "stop_if_no_decrease_hook"),
            "stop_if_no_increase_hook",
        )
    },
    "tf.estimator.experimental.read_eval_metrics": "its module has it, not exported",
    "tf.contrib.distribute.AllReduceCrossTowerOps": "1.11",
    "tf.contrib.opt.DelayCompensatedGradientDescentOptimizer": "its file has it",
    "tf.contrib.framework.arg_scope_func_key": "its file has it",
    "tf.contrib.slim.metrics.streaming_": "the module is not in the generated table",
    "tf.Barrier": "tf.python.ops.data_flow_ops has it, which 1.15.5 did not export",
    "tf.train.SummaryWriter": "0.12",
    "tf.merge_all_summaries": "0.12",
    "tf.train.SyncReplicasOptimizerV2": "0.12",
}


def find_missing_names(tables: Iterable[str] = TABLES) -> list[str]:
    """Names of TensorFlow in tables that no TensorFlow has."""
    found = []
    for table in tables:
        for variable, text in _texts_of(table):
            whole = bool(_DOTTED.fullmatch(text))
            if whole and not _is_there(text) and text not in OLDER:
                found.append(f"{table}.{variable}: {text}")
            elif not whole and _PREFIX.fullmatch(text):
                every = (*_public_names(), *_recorded()["names"])
                if text not in OLDER and not any(n.startswith(text) for n in every):
                    found.append(f"{table}.{variable}: {text}")
    return found


def main(python: str) -> None:
    names = {
        text
        for table in TABLES
        for _, text in _texts_of(table)
        if _DOTTED.fullmatch(text) and not is_public(text)
    }
    asked = json.dumps({"names": sorted(names), "objects": _OBJECTS})
    answers = [
        json.loads(
            subprocess.run(
                [one, "-c", _ASK],
                input=asked,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        )
        for one in (python, sys.executable)
    ]
    attributes: dict[str, list[str]] = {}
    for answer in answers:
        for text, found in answer["attributes"].items():
            attributes[text] = sorted({*attributes.get(text, ()), *found})
    there = sorted({n for answer in answers for n in answer["names"]})
    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in attributes.items()]
    RECORDED.write_text(
        f'{{"names": {json.dumps(there)},\n"attributes": {{\n'
        + ",\n".join(lines)
        + "\n}}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(sys.argv[1])
