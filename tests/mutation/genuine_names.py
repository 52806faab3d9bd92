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
found["signatures"], found["called"] = {}, {}
for text, prefix in (("tf.train.SessionRunHook", ""), ("tf_keras.callbacks.Callback", "on_")):
    try:
        of = eval(text)
    except Exception:
        continue
    for name in dir(of):
        if not name.startswith("_") and name.startswith(prefix):
            import inspect
            given = str(inspect.signature(getattr(of, name)))
            found["signatures"][text + "." + name] = given
try:
    layers = tf.contrib.layers
except AttributeError:
    layers = None
for name in dir(layers) if layers else ():
    function = getattr(layers, name)
    function = getattr(function, "func", function)
    if inspect.isfunction(function):
        found["called"][name] = function.__name__
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
    "tf.estimator.Estimator(lambda\0features:None,'/tmp/none') tf.contrib.lookup.HashTable "
    "tf.estimator.Estimator tf.keras.Model tf.keras.Sequential tf.keras.layers.Layer "
    "tf.keras.layers.Dense(1) tf.summary.FileWriter tf.gfile.GFile tf.distribute.Strategy "
    "tf.keras.optimizers.SGD tf.keras.metrics.Metric tf.errors.OpError tf.train.ClusterSpec "
    "tf.compat.v1.Session tf.compat.v1.data.Dataset tf.compat.v1.train.Optimizer "
    "tf_keras.Model tf_keras.layers.Layer tf_keras.callbacks.Callback() "
    "tf_keras.Sequential([tf_keras.layers.Dense(1,input_shape=(1,))])"
).split()
_OBJECTS = [text.replace("\0", " ") for text in _OBJECTS]
_DOTTED = re.compile(r"tf(\.\w+)*(\.\w*[^\W_]|\.__\w+__)")
_PREFIX = re.compile(r"tf(\.\w+)*(\._|[._])")


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


def signatures_seen() -> dict[str, str]:
    """The signatures of the methods of hooks and callbacks."""
    found: dict[str, str] = _recorded()["signatures"]
    return found


def names_in_python() -> dict[str, str]:
    """contrib.layers' functions -> what they are called where they are defined."""
    found: dict[str, str] = _recorded()["called"]
    return found


def attributes(*objects: str) -> frozenset[str]:
    """The attributes of objects, in whichever TensorFlow has them."""
    of = _recorded()["attributes"]
    assert {*objects} <= {*of}, {*objects} - {*of}
    return frozenset(name for text in objects for name in of[text])


@functools.cache
def _public_names() -> frozenset[str]:
    from migrate.tables import signatures, symbols

    return frozenset(
        {*symbols.list_symbols(), *symbols.list_modules(), *signatures._read_rows()}
    )


@functools.cache
def is_public(name: str) -> bool:
    """Whether one of both TensorFlows has a public name."""
    from migrate.tables import signatures, symbols

    known = name in _public_names() or signatures.exists(name)
    return known or symbols.exists_in_target(name)


def _is_there(name: str) -> bool:
    return is_public(name) or name in _recorded()["names"]


# Beginnings of names that tables have, beside modules.
_BEGINNINGS = frozenset(
    {"tf.clip_by_", "tf.compat.as_", "tf.contrib.metrics.streaming_", "tf.nn.sparse_"}
    | {"tf.reduce_", "tf.contrib.slim.metrics.streaming_"}
)


@functools.cache
def _begins_name(text: str) -> bool:
    if text == "tf.contrib.slim.metrics.streaming_":
        return True  # The generated table does not have the module.
    every = (*_public_names(), *_recorded()["names"])
    return any(name.startswith(text) for name in every)


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
                # `tf.train.cosine_decay_` is no beginning that a table has.
                begins = text.endswith(".") or text in _BEGINNINGS
                if not begins or not _begins_name(text):
                    found.append(f"{table}.{variable}: {text}")
    return found


# What texts that look like members of a module are of otherwise: their first words.
_NO_MODULES = frozenset({"self", "replicas", "tf_slim", "VocabularyProcessor", "model"})
# What is a member of a module where something else is imported before it.
_IMPORTED_SO = frozenset(
    {"datetime.now", "tensorflow.examples", "six.moves.cPickle", "framework.nest"}
)
_MEMBER = re.compile(r"[A-Za-z_]\w*(\.\w+)+")
_PYTHON = sys.stdlib_module_names | {"numpy", "absl", "six"}


def _is_member(text: str) -> bool:
    """Whether a written module, Python's library or TensorFlow has what a text names."""
    from migrate import emitted
    from migrate.tables import signatures

    first, _, rest = text.partition(".")
    if first in emitted.list_modules():
        return rest == "py" or rest.partition(".")[0] in emitted.list_attributes(first)
    if first == "tf_keras":
        return signatures.exists(text)
    if first in _PYTHON:
        found: Any = importlib.import_module(first)
        for name in rest.split("."):
            if not hasattr(found, name):
                try:
                    importlib.import_module(f"{found.__name__}.{name}")
                except (ImportError, AttributeError):
                    return False
            found = getattr(found, name)
        return True
    # Of contrib, or of TensorFlow, where the table puts that before it.
    return _is_there(f"tf.contrib.{text}") or _is_there(f"tf.{text}")


def find_missing_members(tables: Iterable[str] = TABLES) -> list[str]:
    """Texts in tables that name what no module has."""
    return [
        f"{table}.{variable}: {text}"
        for table in tables
        for variable, text in _texts_of(table)
        if _MEMBER.fullmatch(text)
        and not text.startswith("tf.")
        and text.partition(".")[0] not in _NO_MODULES
        and text not in _IMPORTED_SO
        and not _is_member(text)
    ]


def _words_of_contrib() -> frozenset[str]:
    """Parts of contrib."""
    return frozenset(
        n.split(".")[2] for n in _public_names() if n.startswith("tf.contrib.")
    )


def _words_of_tensorflow() -> frozenset[str]:
    return frozenset(n.split(".")[1] for n in _public_names() if n.startswith("tf."))


def _last_words_of(prefix: str) -> frozenset[str]:
    """Names right below a module."""
    return frozenset(
        n.rpartition(".")[2] for n in _public_names() if n.startswith(prefix)
    )


def _attributes_of_python(*objects: object) -> frozenset[str]:
    return frozenset(name for one in objects for name in dir(one))


def _claims() -> Iterator[tuple[str, str, Iterable[str], frozenset[str]]]:
    """Tables with their words, and what these are words of."""
    import builtins
    import logging

    import numpy as np

    from migrate import emitted
    from migrate.tables import (
        callbacks,
        compiled_keras,
        contrib,
        contrib_training,
        estimator_names,
        host_effects,
        keras_fit,
        keras_graphs,
        keras_models,
        lost_attributes,
        plain_calls,
        replaced_objects,
        supervisor,
        worker_state,
    )

    graphs = attributes(
        *("tf.Session", "tf.Tensor", "tf.Variable", "tf.Graph", "tf.train.Optimizer"),
        *("tf.data.Dataset", "tf.data.Iterator", "tf.distribute.Strategy"),
        *("tf.estimator.Estimator", "tf.train.MonitoredSession", "tf.TensorShape"),
        "tf.train.Coordinator",
    )
    # Of eager tensors, and of iterators of strategies.
    graphs |= {"initialize", "numpy"}
    model = attributes(
        "tf_keras.Sequential([tf_keras.layers.Dense(1,input_shape=(1,))])"
    )
    python = _attributes_of_python([], "", {}, set(), np.ones(1))
    names = vars(builtins)
    yield "host_effects", "GRAPH_METHODS", host_effects.GRAPH_METHODS, graphs
    yield "host_effects", "STATIC", host_effects.STATIC, graphs
    yield (
        "host_effects",
        "HOST_MODULES",
        host_effects.HOST_MODULES - {"FLAGS"},
        (_words_of_tensorflow()),
    )
    yield "host_effects", "TRACED_METHODS", host_effects.TRACED_METHODS, model
    yield (
        "host_effects",
        "LOGGING_METHODS",
        host_effects.LOGGING_METHODS,
        (_attributes_of_python(logging.getLogger()) | {"warn"}),
    )
    for name in ("BUILTINS", "PURE_BUILTINS", "RUNS_GIVEN", "VALUES", "MAKERS"):
        words = getattr(host_effects, name)
        yield "host_effects", name, words, frozenset(names) | {"exit", "quit"}
    for name in ("ITERATORS", "CONSUMING", "NAMESPACES"):
        yield "host_effects", name, getattr(host_effects, name), frozenset(names)
    yield "host_effects", "OF_VALUES", host_effects.OF_VALUES, frozenset(_PYTHON)
    yield (
        "host_effects",
        "LOOKS_UP",
        host_effects.LOOKS_UP,
        (python | {"iteritems", "itervalues"}),
    )
    files = attributes("tf.gfile.GFile") | {"writerow", "writerows"}
    yield (
        "host_effects",
        "FILE_METHODS",
        host_effects.FILE_METHODS,
        (files | _attributes_of_python(sys.stdout)),
    )
    yield (
        "worker_state",
        "CONSTANT_BUILTINS",
        worker_state.CONSTANT_BUILTINS,
        (frozenset(names)),
    )
    yield (
        "worker_state",
        "SHUFFLING",
        worker_state.SHUFFLING,
        (attributes("tf.data.Dataset") | _last_words_of("tf.data.experimental.")),
    )
    yield (
        "worker_state",
        "GENERATORS",
        worker_state.GENERATORS["numpy.random"][1],
        (_attributes_of_python(np.random)),
    )
    written = emitted.list_attributes("keras_estimator") | {
        *("loss", "mean_loss", "predictions_from", "loss_from", "params"),
    }
    yield "keras_models", "TAKEN", keras_models.TAKEN, model | written
    yield (
        "keras_models",
        "TABLE_METHODS",
        keras_models.TABLE_METHODS,
        (attributes("tf.contrib.lookup.HashTable")),
    )
    yield "keras_models", "LIBRARIES", keras_models.LIBRARIES, frozenset(_PYTHON)
    yield (
        "callbacks",
        "TAKEN",
        callbacks.TAKEN,
        (attributes("tf_keras.callbacks.Callback()") | {"params"}),
    )
    yield (
        "callbacks",
        "PARAMETERS",
        callbacks.PARAMETERS,
        attributes("tf.train.SessionRunHook"),
    )
    yield (
        "callbacks",
        "GIVEN",
        {m for m, _ in callbacks.GIVEN},
        (attributes("tf.estimator.Estimator") | _last_words_of("tf.estimator.")),
    )
    yield (
        "keras_fit",
        "METHODS",
        keras_fit.METHODS,
        attributes("tf.estimator.Estimator"),
    )
    for name in ("EXPORTS", "ASKS"):
        words = getattr(keras_fit, name)
        yield "keras_fit", name, words, attributes("tf.estimator.Estimator")
    for name in ("RUNS", "TRAININGS"):
        words = getattr(keras_fit, name) - {"train_and_evaluate"}
        yield "keras_fit", name, words, attributes("tf.estimator.Estimator")
    yield "keras_fit", "OF_ESTIMATORS", keras_fit.OF_ESTIMATORS, emitted.list_modules()
    yield (
        "keras_fit",
        "CHANGING",
        keras_fit.CHANGING - {"parse"},
        (python | {"popleft"}),
    )
    yield (
        "keras_fit",
        "LOGGED",
        keras_fit.LOGGED,
        (_attributes_of_python(logging.getLogger(), sys.stdout) | {"warn"}),
    )
    keras = attributes("tf.keras.Model", "tf.keras.Sequential")
    for name in ("VARIABLES", "KNOWN", "MAKES"):
        yield "keras_graphs", name, getattr(keras_graphs, name), keras
    for name, module in (
        ("OPTIMIZERS", "optimizers"),
        ("LOSSES", "losses"),
        ("METRICS", "metrics"),
        ("ACCURACIES", "metrics"),
    ):
        words = getattr(compiled_keras, name).values()
        yield "compiled_keras", name, words, _last_words_of(f"tf.keras.{module}.")
    yield (
        "compiled_keras",
        "ACCURACIES",
        compiled_keras.ACCURACIES,
        (_last_words_of("tf.keras.losses.")),
    )
    yield (
        "contrib",
        "NO_HOME",
        {n.split(".")[0] for n in contrib.NO_HOME},
        (
            # Some are imported when they are asked for.
            _words_of_contrib() | {"bayesflow", "boosted_trees", "gan", "tensorrt"}
        ),
    )
    yield (
        "contrib_training",
        "READ",
        contrib_training.READ,
        frozenset(contrib_training.OPTIMIZE_LOSS_PARAMETERS),
    )
    yield (
        "estimator_names",
        "OF_TF1",
        estimator_names.OF_TF1,
        (attributes("tf.estimator.Estimator(lambda features:None,'/tmp/none')")),
    )
    sources = b"".join(
        emitted.read_source(n)
        for n in emitted.list_names()
        if n.startswith(("estimator_loop", "keras_estimator"))
    )
    yield (
        "estimator_names",
        "EMITTED",
        estimator_names.EMITTED,
        frozenset(re.findall(r"(?:self\.|def )(_\w+)", sources.decode())),
    )
    for kind, rows in lost_attributes.LOST.items():
        yield "lost_attributes", "LOST", rows, attributes(kind)
    yield (
        "lost_attributes",
        "OF_ELEMENTS",
        lost_attributes.OF_ELEMENTS,
        attributes("tf.data.Iterator"),
    )
    yield (
        "lost_attributes",
        "ELSEWHERE",
        lost_attributes.ELSEWHERE,
        attributes("tf.data.Dataset"),
    )
    yield "plain_calls", "BUILTINS", plain_calls.BUILTINS, frozenset(names)
    yield "plain_calls", "METHODS", plain_calls.METHODS, python | graphs
    yield (
        "replaced_objects",
        "ITERATOR",
        replaced_objects.ITERATOR,
        attributes("tf.data.Iterator"),
    )
    own = attributes("tf.train.Supervisor")
    for name in ("METHODS_OF_SESSION", "METHODS_DROPPED", "ATTRIBUTES", "OLDER_NAMES"):
        yield "supervisor", name, getattr(supervisor, name), own
    yield "supervisor", "OLDER_NAMES", supervisor.OLDER_NAMES.values(), own
    yield (
        "supervisor",
        "METHODS_OF_COORDINATOR_DROPPED",
        (supervisor.METHODS_OF_COORDINATOR_DROPPED),
        attributes("tf.train.Coordinator"),
    )
    yield "supervisor", "DROPPED", supervisor.DROPPED, frozenset(supervisor.PARAMETERS)
    yield (
        "supervisor",
        "REFUSED_UNLESS",
        supervisor.REFUSED_UNLESS,
        frozenset(supervisor.PARAMETERS),
    )


def find_missing_words() -> list[str]:
    """Words of tables that are no words of what the table is about."""
    return [
        f"{table}.{variable}: {word}"
        for table, variable, words, known in _claims()
        for word in words
        if word not in known
    ]


def find_misspelt(table: str) -> list[str]:
    """Finds names of a table that Python, TensorFlow and the written modules lack."""
    words = (text for text in find_missing_words() if text.startswith(f"{table}."))
    return [*find_missing_names([table]), *find_missing_members([table]), *words]


def ask(python: str) -> dict[str, Any]:
    """Asks both TensorFlows about all non-public names of the tables.

    Args:
      python: of TensorFlow 1.15.5.
    """
    names = {
        text
        for table in TABLES
        for _, text in _texts_of(table)
        if _DOTTED.fullmatch(text) and not is_public(text)
    }
    asked = json.dumps({"names": sorted(names), "objects": _OBJECTS})
    answers = []
    for one in (python, sys.executable):
        command = [one, "-c", _ASK]
        done = subprocess.run(
            command, input=asked, stdout=subprocess.PIPE, text=True, check=True
        )
        answers.append(json.loads(done.stdout))
    attributes: dict[str, list[str]] = {}
    for answer in answers:
        for text, found in answer["attributes"].items():
            attributes[text] = sorted({*attributes.get(text, ()), *found})
    there = sorted({n for answer in answers for n in answer["names"]})
    both: dict[str, Any] = {"names": there, "attributes": attributes}
    for kind in ("signatures", "called"):
        both[kind] = {k: v for answer in answers for k, v in answer[kind].items()}
    return both


def main(python: str) -> None:
    found = ask(python)
    rows = found["attributes"].items()
    lines = [f" {json.dumps(k)}: {json.dumps(v)}" for k, v in rows]
    RECORDED.write_text(
        f'{{"names": {json.dumps(found["names"])},\n"attributes": {{\n'
        + ",\n".join(lines)
        + f'\n}},\n"signatures": {json.dumps(found["signatures"], indent=1)},\n'
        + f'"called": {json.dumps(found["called"], indent=1)}}}\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(sys.argv[1])
