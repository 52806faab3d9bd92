"""Programs whose outcome may tell a wrong table.

    rules/C101              the case of a code (`tests/rules`)
    programs/hooks/stop     a program of `tests/programs`
    reference/supervisor    a scenario's program
    own/tables              a program of `tests/mutation/programs`
    loss tf.losses.log_loss a shape of below, about one name
    fact effects of calls   no program: see `facts.py`

Outcomes are compared, nothing is run: what a name becomes is proved where its row says it
(`tests/reference/proofs.py`), or beside the table's own tests.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pathlib
import re
from collections.abc import Iterable, Iterator

from tests.mutation import parts

ROOT = pathlib.Path(__file__).parents[2]
OWN = pathlib.Path(__file__).with_name("programs")

_HEAD = "import tensorflow as tf\n\n"
_TRAINS = """\
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(({"x": [[1.0], [2.0]]}, [[1.0], [2.0]]))
    return data.repeat().batch(2)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=4)
"""
_MODEL_FN = _HEAD + "\ndef model_fn(features, labels, mode):\n"
_SESSION_HEAD = (
    _HEAD
    + """\
x = tf.placeholder(tf.float32, [None, 1])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1])
"""
)
_SESSION = """\
loss = tf.reduce_mean(tf.square(net - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run(train_op, {x: [[1.0]], y: [[2.0]]})
"""
_WORKER_HEAD = (
    _HEAD
    + """\
flags = tf.app.flags
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS

cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
else:
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.constant([[1.0], [2.0]])
        w = tf.get_variable("w", [1, 1])
        step = tf.train.get_or_create_global_step()
"""
)
_WORKER = """\
        loss = tf.reduce_mean(tf.square(net - 1.0))
        train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(server.target, FLAGS.task_index == 0) as sess:
        while not sess.should_stop():
            sess.run(train_op)
"""
_DENSE = "    net = tf.layers.dense(features['x'], 1)\n"
_LOSS = "    loss = tf.losses.mean_squared_error(labels, net)\n"

# What stands for the name is `NAME`.
SHAPES: dict[str, str] = {
    "call": _HEAD + "\ndef build(x):\n    return NAME(x)\n",
    "mention": _HEAD + "value = NAME\n",
    "below": _HEAD + "\ndef build(x):\n    return NAME.below(x)\n",
    # Where the name keeps the file from being rewritten, the logarithm keeps its old name.
    "beside a logarithm": _HEAD
    + "value = NAME\n\n\ndef build(x):\n    return tf.log(x)\n",
    "layer": _MODEL_FN + "    net = NAME(features['x'], 1)\n" + _LOSS + _TRAINS,
    "use": _MODEL_FN + _DENSE + "    net = NAME(net)\n" + _LOSS + _TRAINS,
    "said": _MODEL_FN + _DENSE + "    NAME()\n" + _LOSS + _TRAINS,
    "loss": _MODEL_FN + _DENSE + "    loss = NAME(labels, net)\n" + _TRAINS,
    "optimizer": _MODEL_FN
    + _DENSE
    + _LOSS
    + _TRAINS.replace("tf.train.GradientDescentOptimizer", "NAME"),
    # `tf.distribute.Server` is tf.train.Server where the name says that a graph runs.
    "beside a server": _HEAD
    + "server = tf.distribute.Server({'worker': ['a:1']})\nvalue = NAME\n",
    # An argument of contrib's `optimize_loss`.
    "optimised with": _MODEL_FN.replace("mode)", "mode, params)")
    + _DENSE
    + _LOSS
    + "    train_op = tf.contrib.layers.optimize_loss(\n"
    + "        loss, tf.train.get_global_step(), 0.1, 'SGD', NAME=params['given'])\n"
    + _TRAINS[_TRAINS.index("    return") :],
    "metric": _MODEL_FN
    + _DENSE
    + _LOSS
    + _TRAINS.replace(
        "loss=loss,", "loss=loss, eval_metric_ops={'m': NAME(labels, net)},"
    ),
    "initializer": _MODEL_FN
    + _DENSE.replace(", 1)", ", 1, kernel_initializer=NAME())")
    + _LOSS
    + _TRAINS,
    "activation": _MODEL_FN
    + _DENSE.replace(", 1)", ", 1, activation=NAME)")
    + _LOSS
    + _TRAINS,
    "regularizer": _MODEL_FN
    + _DENSE.replace(", 1)", ", 1, kernel_regularizer=NAME(0.1))")
    + _LOSS
    + _TRAINS,
    "canned": _HEAD
    + "columns = [tf.feature_column.numeric_column('x')]\n"
    + "estimator = NAME(feature_columns=columns)\n"
    + _TRAINS.partition("\n\n\n")[2].replace(
        'estimator = tf.estimator.Estimator(model_fn, "/tmp/model")\n', ""
    ),
    "session": _SESSION_HEAD + "net = NAME(tf.matmul(x, w))\n" + _SESSION,
    "fetched": _SESSION_HEAD
    + "net = tf.matmul(x, w)\n"
    + _SESSION
    + "    print(sess.run(NAME(net), {x: [[1.0]]}))\n",
    "stepped": _SESSION_HEAD
    + "net = tf.matmul(x, w)\n"
    + _SESSION
    + "        NAME(step)\n",
    "variable": _SESSION_HEAD.replace("tf.get_variable", "NAME")
    + "net = tf.matmul(x, w)\n"
    + _SESSION,
    "worker": _WORKER_HEAD + "        net = NAME(tf.matmul(x, w))\n" + _WORKER,
    "worker optimizer": _WORKER_HEAD
    + "        net = tf.matmul(x, w)\n"
    + _WORKER.replace("tf.train.AdagradOptimizer", "NAME"),
    "worker said": _WORKER_HEAD
    + "        net = tf.matmul(x, w)\n"
    + _WORKER
    + "            NAME(1)\n",
    "hook": _HEAD
    + "\nclass Hook(tf.train.SessionRunHook):\n"
    + "    def begin(self):\n        self.told = NAME()\n\n"
    + "    def after_run(self, context, values):\n        NAME(self.told)\n\n\n"
    + (_MODEL_FN + _DENSE + _LOSS + _TRAINS)
    .removeprefix(_HEAD)
    .replace("steps=4", "steps=4, hooks=[Hook()]"),
    "given": _MODEL_FN
    + _DENSE
    + _LOSS
    + _TRAINS.replace("steps=4", "steps=4, hooks=[NAME(4)]"),
    "keras": _HEAD
    + "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])\n"
    + "model.add(tf.keras.layers.Lambda(lambda x: NAME(x)))\n"
    + "model.compile(NAME(0.1), 'mse')\n"
    + "model.fit([[1.0]], [[1.0]])\n",
    "opened in compat": "import tensorflow.compat.v1 as tf\n\n"
    + "w = tf.constant(1.0)\n"
    + "with NAME() as sess:\n    print(sess.run(w))\n",
    # Strings that Keras knows, and packages that make no operations.
    "trained by batches": (ROOT / "tests/programs/half_migrated/train_on_batch.py")
    .read_text("utf-8")
    .replace('"sparse_categorical_crossentropy", metrics=["accuracy"]', '"NAME"'),
    "asked by name beside": "import NAME\n"
    + _HEAD
    + "\nclass Told(tf.train.SessionRunHook):\n"
    + "    def before_run(self, context):\n"
    + "        return tf.train.SessionRunArgs('loss:0')\n\n"
    + "    def after_run(self, context, values):\n        print(values.results)\n\n\n"
    + "NAME.start()\n"
    + "x = tf.constant([[1.0]])\n"
    + "w = tf.get_variable('w', [1, 1])\n"
    + "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)), name='loss')\n"
    + "step = tf.train.get_or_create_global_step()\n"
    + "train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)\n"
    + "with tf.train.MonitoredTrainingSession(hooks=[Told()]) as sess:\n"
    + "    while not sess.should_stop():\n        sess.run(train_op)\n",
    # A method of an array that gives a variable its first value, of which there is a saver.
    "first value of": "import numpy as np\n"
    + _HEAD
    + "x = tf.placeholder(tf.float32, [None, 3])\n"
    + "table = np.ones([3, 1])\n"
    + "w = tf.Variable(tf.constant(table.NAME(1), tf.float32))\n"
    + "step = tf.train.get_or_create_global_step()\n"
    + "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n"
    + "train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)\n"
    + "saver = tf.train.Saver(max_to_keep=2)\n"
    + "with tf.Session() as sess:\n"
    + "    sess.run(tf.global_variables_initializer())\n"
    + "    for i in range(3):\n        sess.run(train, {x: [[1.0, 2.0, 3.0]]})\n"
    + "    saver.save(sess, '/tmp/model', global_step=step)\n",
    # The same for a method, an attribute or an argument of this name.
    "method": _SESSION_HEAD + "net = tf.matmul(x, w)\nw.NAME(net)\n" + _SESSION,
    "attribute": _MODEL_FN
    + _DENSE
    + "    print(net.NAME)\n"
    + _LOSS
    + _TRAINS.replace("steps=4)", "steps=4)\nprint(estimator.NAME)"),
    "argument": _MODEL_FN
    + _DENSE.replace(", 1)", ", 1, NAME=None)")
    + _LOSS
    + _TRAINS.replace("(0.1)", "(0.1, NAME=None)").replace(
        "model_fn, ", "model_fn, NAME=None, "
    ),
}
CHEAP = ("call", "mention")
# Table -> the shapes in which its names say most.
_LAYERS = ("layer", "use", "initializer", "regularizer", "activation")
_EFFECTS = ("said", "stepped", "worker said", "hook")
_VALUES = ("use", "session", "fetched")
OF_TABLE: dict[str, tuple[str, ...]] = {
    "callbacks": ("hook", "given", "said"),
    "compiled_keras": ("keras",),
    "contrib": ("use", "optimizer", "session"),
    "contrib_graph": ("use", "metric", "optimizer"),
    "contrib_metrics": ("metric", "fetched"),
    "contrib_training": ("use", "optimizer", "argument"),
    "estimator": ("use", "said", "given", "canned", "hook", "optimizer"),
    "estimator_names": ("said", "canned"),
    "first_values": ("variable", "initializer", "session"),
    "graph_mode": ("use", "fetched", "metric"),
    "graph_slim": ("use",),
    "reviewed_names": ("use",),
    "hooks": ("given", "hook", "argument"),
    "host_effects": (*_EFFECTS, "method"),
    "keras_contrib": _LAYERS,
    "keras_defaults": ("use", "argument"),
    "keras_fit": ("said", "given", "attribute", "canned"),
    "keras_graphs": ("keras", "use"),
    "keras_models": (*_LAYERS, "loss", "metric", "said", "optimizer"),
    "layers": (*_LAYERS, "session"),
    "legacy_keras": ("keras", "use"),
    "lost_attributes": ("method", "attribute"),
    "modes": ("said", "use"),
    "named_tensors": _VALUES,
    "one_element": _VALUES,
    "one_tensor": (*_VALUES, "loss"),
    "optimizers": ("optimizer", "worker optimizer"),
    "partitioners": ("variable", "session", "worker"),
    "plain_calls": ("said", "stepped"),
    "queues": ("session", "worker", "fetched"),
    "random_symbols": _VALUES,
    "recurrent": ("use", "session"),
    "roles": ("session", "worker", "worker said", "stepped", "use", "fetched"),
    "scaffolds": ("worker", "said"),
    "semantics": ("use", "session"),
    "streaming_metrics": ("metric", "fetched"),
    "supervisor": ("worker said", "method"),
    "worker_state": (*_EFFECTS, "method"),
}
_OF_WORDS = ("method", "attribute", "argument")
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")


@dataclasses.dataclass(frozen=True)
class Program:
    """A program; it is migrated to be compared.

    Attributes:
      in_compat: whether it is brought to graph mode under TensorFlow 2 as well, and its kind
        is looked at.
      is_python: else it asks for packages.
    """

    name: str
    text: str
    in_compat: bool = False
    is_python: bool = True


def of_shape(shape: str, name: str) -> Program:
    """The program of a shape about one name."""
    text = SHAPES[shape].replace("NAME", name)
    module = name.partition(".")[0]
    if shape not in _OF_WORDS and "." in name and module not in ("tf", "self"):
        text = f"import {module}\n" + text
    return Program(f"{shape} {name}", text, in_compat=shape == "mention")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(key)
            yield from _texts(one)
    elif isinstance(value, (set, frozenset, list, tuple)):
        for one in value:
            yield from _texts(one)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from _texts([getattr(value, f.name) for f in dataclasses.fields(value)])


def texts() -> Iterator[str]:
    """Names in the tables, as they stand there."""
    for module in parts.modules():
        table = importlib.import_module(f"migrate.tables.{module}")
        for key, value in vars(table).items():
            if not key.startswith("__"):
                for text in _texts(value):
                    name = text.removesuffix(".")
                    if _NAME.fullmatch(name) and not name.startswith("migrate."):
                        yield name


def _files() -> Iterator[tuple[str, pathlib.Path]]:
    for path in sorted((ROOT / "tests/rules").glob("[A-Z][0-9][0-9][0-9]*.py")):
        yield f"rules/{path.stem}", path
    for path in sorted((ROOT / "tests/programs").glob("*/**/*.py")):
        yield str(path.relative_to(ROOT / "tests").with_suffix("")), path
    for path in sorted((ROOT / "reference").glob("*/tf1.py")):
        yield f"reference/{path.parent.name}", path
    for path in sorted(OWN.glob("[!_]*")):
        yield f"own/{path.name}", path


@functools.cache
def files() -> dict[str, pathlib.Path]:
    """Programs in files."""
    return dict(_files())


def find(name: str) -> Program:
    """The program of a name."""
    if name.startswith(("test ", "fact ")):
        return Program(name, "")
    path = files().get(name)
    if path is not None:
        return Program(
            name,
            path.read_text("utf-8"),
            in_compat=name.startswith(("own/", "rules/")),
            is_python=path.suffix == ".py",
        )
    shape, _, rest = name.rpartition(" ")
    return of_shape(shape, rest)


def about(names: Iterable[str], shapes: Iterable[str]) -> Iterator[str]:
    """The names of the programs of some shapes about some names."""
    for name in names:
        for shape in shapes:
            if "." in name or shape in ("call", "use", *_OF_WORDS):
                yield f"{shape} {name}"
