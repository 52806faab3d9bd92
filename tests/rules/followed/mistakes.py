"""Recipes of mistakes that the tool finds and does not mend by itself."""

from __future__ import annotations

from reference.pages.cases import cases
from tests.rules.followed.bases import EAGER, MODULE, change

_REPLICATED = """\
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
dataset = tf.data.Dataset.from_tensor_slices((tf.ones((8, 4)), tf.ones((8, 1)))).batch(4)
dataset = strategy.experimental_distribute_dataset(dataset)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.1)


def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


"""
_DIVIDED = _REPLICATED.replace(
    "model(x) - y))\n", "model(x) - y)) / strategy.num_replicas_in_sync\n"
)
_SHOWN = """\
for x, y in dataset:
    losses = strategy.run(step, args=(x, y))
    print(strategy.reduce("MEAN", tf.nest.map_structure(abs, losses), axis=None))
"""
_OUTSIDE = "step(tf.ones((4, 4)), tf.ones((4, 1)))\n"
_RUN = "for x, y in dataset:\n    strategy.run(step, args=(x, y))\n"
_NAMED_LOSS = """\
import tensorflow as tf

print(tf.log(1.0))
model = tf.keras.Sequential([tf.keras.layers.Dense(4)])
model.compile("sgd", "sparse_categorical_crossentropy")
"""
_EVALUATED = """\
import json
import os
import tensorflow as tf

cluster = {"worker": ["a:1"], "ps": ["b:1"]}
cluster["evaluator"] = ["c:1"]
task = {"type": "worker", "index": 0}
os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.TFConfigClusterResolver())
"""
_STEPS = "\n\nfor x, y in dataset:\n    train(strategy, x, y)\n"
_GIVEN = f"""{_DIVIDED}def train(strategy, x, y):
    strategy.run(step, args=(x, y)){_STEPS}"""
_HEAD = "import tensorflow as tf\n\n"
_SHUFFLED = cases()["D143"].text
_BY_SERVERS = change(
    _SHUFFLED,
    ("MultiWorkerMirroredStrategy()", "ParameterServerStrategy(resolver)"),
    ("strategy =", "tf.random.set_seed(1)\nstrategy ="),
)
_SESSION = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
with tf.train.MonitoredTrainingSession(master="grpc://b:1", is_chief=True) as sess:
    for step in range(10):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(tf.ones((2, 3))))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""
_STRATEGY = """\
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def train_step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(tf.ones((2, 3)))) / strategy.num_replicas_in_sync
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


for step in range(10):
    strategy.run(train_step)
"""
_ROWS = "import numpy as np\n" + MODULE + "rows = np.array([[1], [1, 2]])\n"
_NUMBER = "import numpy as np\n" + MODULE + 'print(f"{np.float(2)}")\n'
_CLOCK = "import time\n" + MODULE + "start = time.clock()\n"
# Mistakes that the tool mends in other programs, and cannot mend in these.
_NOT_MENDED = {
    "D106_given": (
        change(
            _GIVEN,
            ("dataset = strategy.experimental_distribute_dataset(dataset)\n", ""),
        ),
        _GIVEN,
    ),
    "D108_resolver": (
        _HEAD + "s = tf.distribute.experimental.MultiWorkerMirroredStrategy(\n"
        "    tf.distribute.experimental.CollectiveCommunication.NCCL, resolver)\n",
        _HEAD + "s = tf.distribute.MultiWorkerMirroredStrategy(\n"
        "    resolver, communication_options=tf.distribute.experimental.CommunicationOptions(\n"
        "        implementation=tf.distribute.experimental.CommunicationImplementation.NCCL))\n",
    ),
    "D108_held": (
        _HEAD + "strategy = tf.distribute.MirroredStrategy()\n"
        "data = tf.data.Dataset.range(8).batch(4)\n"
        "held = [strategy.make_dataset_iterator(data)]\n",
        _HEAD + "strategy = tf.distribute.MirroredStrategy()\n"
        "data = tf.data.Dataset.range(8).batch(4)\n"
        "held = [iter(strategy.experimental_distribute_dataset(data))]\n",
    ),
    "D111": (change(EAGER, ("is_chief=(task == 0)", "is_chief=True")), EAGER),
    "D113_session": (_SESSION, _STRATEGY),
    "D140_servers": (
        _HEAD + 'cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})\n'
        "strategy = tf.distribute.MirroredStrategy()\n",
        _HEAD + 'cluster = tf.train.ClusterSpec({"worker": ["b:1"]})\n'
        "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n",
    ),
    "D142_more": (
        f"{_DIVIDED}{_RUN}".replace("args=(x, y)", "args=(x, y, 1)"),
        _DIVIDED + _RUN,
    ),
    "D143_no_context": (
        change(_SHUFFLED, ("(context)", "(*_)")),
        change(_SHUFFLED, ("seed=7", "seed=7 + context.input_pipeline_id")),
    ),
    "D143_servers": (
        _BY_SERVERS,
        change(_BY_SERVERS, (", seed=7", ""), ("tf.random.set_seed(1)\n", "")),
    ),
    "D167_python": (_CLOCK, change(_CLOCK, ("clock", "perf_counter"))),
    "D167_rows": (_ROWS, change(_ROWS, ("2]])", "2]], dtype=object)"))),
    "D167_numpy": (_NUMBER, change(_NUMBER, ("np.float(", "float("))),
    "P110_arguments": (
        _HEAD + "s = tf.distribute.ParameterServerStrategy(\n    resolver,"
        " variable_partitioner=tf.compat.v1.fixed_size_partitioner(**parts))\n",
        _HEAD
        + "s = tf.distribute.ParameterServerStrategy(\n    resolver, variable_partitioner="
        "tf.distribute.experimental.partitioners.FixedShardsPartitioner(2))\n",
    ),
}
FOLLOWED = {
    **_NOT_MENDED,
    "D102": (
        _NAMED_LOSS,
        _NAMED_LOSS.replace(
            '"sparse_categorical_crossentropy"',
            "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
        ),
    ),
    "D104": (_REPLICATED + _SHOWN, _DIVIDED + _SHOWN),
    "D141": (_DIVIDED + _OUTSIDE, _DIVIDED + _RUN),
    "D146": (_EVALUATED, _EVALUATED.replace('cluster["evaluator"] = ["c:1"]\n', "")),
}
