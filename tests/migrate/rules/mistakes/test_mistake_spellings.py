"""Mistakes in other spellings than our own programs', and programs that make none."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

TF = "import tensorflow as tf\n"
# A loop of two replicas: how its data is given, what else is made in the scope, the
# loss, and the loop.
LOOP = """\
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
ds = tf.data.Dataset.from_tensor_slices((tf.ones((8,4)), tf.ones((8,1)))).batch(4)
%s
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    opt = tf.keras.optimizers.SGD(0.1)
%s
def step(x, y):
    with tf.GradientTape() as tape:
        loss = %s
    g = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(g, model.trainable_variables))
    return loss
%s
"""
SHARED = "ds = strategy.experimental_distribute_dataset(ds)"
SUM = "tf.reduce_sum(tf.square(model(x) - y)) / 4"
RUN = "for x, y in ds:\n    strategy.run(step, args=(x, y))"
# A loss object without reduction, and the losses that it gives.
NONE = "    lo = tf.keras.losses.MeanSquaredError(reduction='none')"
EACH = "lo(y, model(x))"
SQUARES = "tf.reduce_sum(tf.square(model(x) - y))"
# Sums over a replica's part, divided by its size.
OF_A_PART = (
    f"{SQUARES} / x.shape[0]",
    f"{SQUARES} / len(x)",
    f"{SQUARES} / tf.cast(tf.shape(x)[0], tf.float32)",
    f"{SQUARES} * (1. / float(y.get_shape()[0]))",
    f"tf.reduce_sum({EACH}) / y.shape.as_list()[0]",
    f"tf.nn.compute_average_loss({EACH}, global_batch_size=tf.shape(x)[0])",
)
# A step with one argument, and one that asks a function for its loss.
PAIRED = ("def step(x, y):\n", "def step(batch):\n    x, y = batch\n")
HELPED = (
    "def step(x, y):\n",
    "def of(out, y):\n    return tf.reduce_sum(tf.square(out - y)) / len(y)\n"
    "def step(x, y):\n",
)
# A dataset function: its batches are a replica's.
OWN = "ds = strategy.distribute_datasets_from_function(lambda context: ds)"
# A class that is compiled, by its last layer.
SUBCLASS = """\
import tensorflow as tf
class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.last = %s
    def call(self, x):
        return self.last(x)
model = Model()
model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy())
"""
WRONG = (
    (
        "D101",
        TF + 'cluster = tf.train.ClusterSpec(dict(ps="a:1,b:2", worker=["c:1"]))\n',
    ),
    (
        "D101",
        TF
        + (
            "flags = tf.app.flags\n"
            'flags.DEFINE_string("w", "a:1,b:1", "")\n'
            "F=flags.FLAGS\n"
            "workers=F.w\n"
            'cluster = tf.train.ClusterSpec({"worker": workers})\n'
        ),
    ),
    (
        "D101",
        "import argparse\n"
        + TF
        + (
            "p=argparse.ArgumentParser()\n"
            'p.add_argument("--worker_hosts", type=str)\n'
            "a=p.parse_args()\n"
            'spec={"worker": a.worker_hosts, "ps": a.worker_hosts.split(",")}\n'
            "cluster = tf.train.ClusterSpec(spec)\n"
        ),
    ),
    ("D101", TF + 'cluster = tf.train.ClusterSpec({"worker": ["a:1,b:2"]})\n'),
    (
        "D101",
        "import os\n"
        + TF
        + 'cluster = tf.train.ClusterSpec({"worker": os.environ["WORKER_HOSTS"]})\n',
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation='softmax')])\n"
            "model.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation=tf.nn.softmax)])\n"
            "lo = tf.keras.losses.CategoricalCrossentropy(from_logits=True)\n"
            "model.compile('sgd', loss=lo)\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential()\n"
            "model.add(tf.keras.layers.Dense(10))\n"
            "model.add(tf.keras.layers.Softmax())\n"
            "model.compile('sgd', loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential()\n"
            "model.add(tf.keras.layers.Dense(10))\n"
            "model.add(tf.keras.layers.Activation('softmax'))\n"
            "model.compile('sgd', loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "i = tf.keras.Input((4,))\n"
            "o = tf.keras.layers.Dense(10, activation='softmax')(i)\n"
            "model = tf.keras.Model(i, o)\n"
            "model.compile('sgd', loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "x = tf.placeholder(tf.float32,[None,4])\n"
            "y=tf.placeholder(tf.float32,[None,3])\n"
            "p = tf.nn.softmax(tf.layers.dense(x,3))\n"
            "loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=p))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "class M(tf.keras.Model):\n"
            "  def __init__(self):\n"
            "    super().__init__()\n"
            "    self.d=tf.keras.layers.Dense(3, activation='softmax')\n"
            "  def call(self,x):\n"
            "    return self.d(x)\n"
            "model=M()\n"
            "model.compile('sgd', loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "model.compile('sgd', 'sparse_categorical_crossentropy')\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "model.compile(optimizer='sgd', loss=tf.keras.losses.CategoricalCrossentropy())\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "i = tf.keras.Input((4,))\n"
            "o = tf.keras.layers.Dense(10)(i)\n"
            "model = tf.keras.Model(i, o)\n"
            "model.compile('sgd', loss='categorical_crossentropy')\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
            "model.compile('sgd', 'binary_crossentropy')\n"
        ),
    ),
    ("D104", LOOP % (SHARED, "", "tf.reduce_mean(tf.square(model(x) - y))", RUN)),
    (
        "D104",
        LOOP
        % (SHARED, "", "tf.math.reduce_mean(tf.keras.losses.mse(y, model(x)))", RUN),
    ),
    (
        "D104",
        LOOP
        % (
            SHARED,
            "    lo = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)",
            "tf.reduce_mean(lo(y, model(x)))",
            RUN,
        ),
    ),
    (
        "D104",
        LOOP
        % (
            SHARED,
            "    lo = tf.keras.losses.MeanSquaredError()",
            "lo(y, model(x))",
            RUN,
        ),
    ),
    *(("D104", LOOP % (SHARED, NONE, loss, RUN)) for loss in OF_A_PART),
    ("D104", (LOOP % (SHARED, "", f"{SQUARES} / len(x)", RUN)).replace(*PAIRED)),
    ("D104", (LOOP % (SHARED, "", "of(model(x), y)", RUN)).replace(*HELPED)),
    # The number of a replica's part: of batches of 8 on two, or of its own batches.
    ("D104", (LOOP % (SHARED, "", SUM, RUN)).replace("batch(4)", "batch(8)")),
    ("D104", LOOP % (OWN, "", SUM, RUN)),
    (
        "D104",
        (LOOP % (SHARED, "N = 8\nPART = 4", SUM, RUN))
        .replace("batch(4)", "batch(N)")
        .replace("/ 4", "/ PART"),
    ),
    ("D102", SUBCLASS % "tf.keras.layers.Dense(3)"),
    ("D106", LOOP % ("", "", SUM, RUN)),
    (
        "D106",
        LOOP
        % (
            "",
            "",
            SUM,
            "it = iter(ds)\nfor _ in range(2):\n    x, y = next(it)\n    strategy.run(step, args=(x, y))",
        ),
    ),
    (
        "D106",
        LOOP
        % (
            "",
            "",
            SUM,
            "@tf.function\ndef dist(x, y):\n    strategy.run(step, args=(x, y))\nfor x, y in ds:\n    dist(x, y)",
        ),
    ),
    (
        "D106",
        LOOP
        % (
            "",
            "",
            SUM,
            "for i, (x, y) in enumerate(ds):\n    strategy.run(step, (x, y))",
        ),
    ),
    (
        "D106",
        LOOP
        % (
            "",
            "",
            SUM,
            "def dist(batch):\n    strategy.run(step, args=batch)\n"
            "it = iter(ds)\nfor _ in range(2):\n    dist(next(it))",
        ),
    ),
    ("D106", LOOP % ("", "", SUM, RUN.replace("in ds:", "in ds.take(1):"))),
    ("D141", LOOP % ("", "", SUM, "for x, y in ds:\n    step(x, y)")),
    ("D141", LOOP % (SHARED, "", SUM, "for x, y in ds:\n    step(x, y)")),
    (
        "D141",
        LOOP
        % (
            "",
            "",
            SUM,
            "@tf.function\ndef train(x, y):\n    return step(x, y)\nfor x, y in ds:\n    train(x, y)",
        ),
    ),
    (
        "D142",
        LOOP
        % (SHARED, "", SUM, "for batch in ds:\n    strategy.run(step, args=(batch,))"),
    ),
    (
        "D142",
        (
            LOOP
            % (
                SHARED,
                "",
                SUM,
                "for batch in ds:\n    strategy.run(step, args=(batch))",
            )
        ).replace("def step(x, y):", "def step(batch):\n    x, y = batch"),
    ),
    (
        "D140",
        TF + ("# Asynchronous training\nstrategy = tf.distribute.MirroredStrategy()\n"),
    ),
    (
        "D140",
        TF
        + (
            "def train():\n"
            '    """Train asynchronously with several GPUs."""\n'
            "    strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
        ),
    ),
    ("D140", TF + "async_strategy = tf.distribute.MirroredStrategy()\n"),
    (
        "D143",
        TF
        + (
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
            "def f(ctx):\n"
            "    return tf.data.Dataset.range(8).shuffle(8, seed=1).batch(2)\n"
            "ds = strategy.distribute_datasets_from_function(f)\n"
        ),
    ),
    (
        "D143",
        TF
        + (
            "server = tf.train.Server({'worker': ['a:1', 'b:1']}, 'worker', 0)\n"
            "once = tf.contrib.data.shuffle_and_repeat(64, None, 1)\n"
            "ds = tf.data.Dataset.range(64).apply(once)\n"
        ),
    ),
    (
        "D146",
        "import json, os\n"
        + TF
        + (
            "os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['a:1'], 'ps': ['b:1'], 'evaluator': ['c:1']}, 'task': {'type': 'worker', 'index': 0}})\n"
            "strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())\n"
        ),
    ),
    (
        "D146",
        "import json, os\n"
        + TF
        + (
            "os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['a:1','b:2'], 'ps': ['b:1']}, 'task': {'type': 'worker', 'index': 0}})\n"
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
        ),
    ),
    (
        "D108",
        LOOP
        % (
            SHARED,
            "",
            SUM,
            "for x, y in ds:\n    strategy.experimental_run_v2(fn=step, args=(x, y))",
        ),
    ),
    (
        "D108",
        TF
        + "strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy(communication=tf.distribute.experimental.CollectiveCommunication.NCCL)\n",
    ),
    (
        "D108",
        TF
        + (
            "from tensorflow.distribute.experimental import MultiWorkerMirroredStrategy, CollectiveCommunication\n"
            "strategy = MultiWorkerMirroredStrategy(CollectiveCommunication.AUTO)\n"
        ),
    ),
    ("D110", TF + "strategy = tf.distribute.experimental.ParameterServerStrategy()\n"),
)
RIGHT = (
    (
        "D101",
        TF
        + ('h="a:1,b:2".split(",")\ncluster = tf.train.ClusterSpec({"worker": h})\n'),
    ),
    (
        "D101",
        "import os\n"
        + TF
        + 'cluster = tf.train.ClusterSpec({"worker": os.environ["W"].split(",")})\n',
    ),
    (
        "D101",
        TF
        + (
            'def hosts(): return ["a:1"]\n'
            'cluster = tf.train.ClusterSpec({"worker": hosts()})\n'
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation='relu')])\n"
            "model.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation='softmax')])\n"
            "model.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy())\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation='softmax'), tf.keras.layers.Dense(10)])\n"
            "model.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10)])\n"
            "model.compile('sgd', 'mse')\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(10), tf.keras.layers.Softmax()])\n"
            "model.compile('sgd', 'sparse_categorical_crossentropy')\n"
        ),
    ),
    (
        "D102",
        TF
        + (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation='sigmoid')])\n"
            "model.compile('sgd', 'binary_crossentropy')\n"
        ),
    ),
    ("D104", LOOP % (SHARED, "", SUM, RUN)),
    (
        "D104",
        LOOP
        % (
            SHARED,
            "    lo = tf.keras.losses.MeanSquaredError(reduction='none')",
            "tf.nn.compute_average_loss(lo(y, model(x)), global_batch_size=4)",
            RUN,
        ),
    ),
    (
        "D104",
        LOOP
        % (
            SHARED,
            "",
            "tf.reduce_mean(tf.square(model(x) - y)) / strategy.num_replicas_in_sync",
            RUN,
        ),
    ),
    *(
        ("D104", LOOP % (SHARED, NONE, loss, RUN))
        for loss in (
            # Of weights, not of examples; of features; half of a square; another number.
            f"{SQUARES} / model.weights[0].shape[0]",
            f"{SQUARES} / x.shape[1]",
            f"{SQUARES} / tf.transpose(x).shape[0]",
            f"{SQUARES} / 2",
            f"{SQUARES} / 3",
            f"0.5 * {SQUARES}",
            f"tf.reduce_sum({EACH}) / x.shape[0] / strategy.num_replicas_in_sync",
        )
    ),
    # How many replicas share a batch is not seen, or nobody says what is one.
    (
        "D104",
        (LOOP % (SHARED, "", SUM, RUN))
        .replace("batch(4)", "batch(8)")
        .replace('["/cpu:0", "/cpu:1"]', ""),
    ),
    ("D104", (LOOP % (SHARED, "", SUM, RUN)).replace("batch(4)", "batch(size)")),
    # The replicas reduce by hand; a rate is divided.
    (
        "D104",
        (LOOP % (SHARED, "", f"{SQUARES} / len(x)", RUN)).replace(
            "    g = tape",
            "    tf.distribute.get_replica_context().all_reduce('MEAN', loss)\n    g = tape",
        ),
    ),
    (
        "D104",
        (LOOP % (SHARED, NONE, f"tf.reduce_sum({EACH})", RUN)).replace(
            "SGD(0.1)", "SGD(0.1 / 4)"
        ),
    ),
    ("D102", SUBCLASS % 'tf.keras.layers.Dense(3, activation="softmax")'),
    ("D106", LOOP % (SHARED, "", SUM, RUN)),
    (
        "D106",
        LOOP
        % (
            SHARED,
            "",
            SUM,
            "it = iter(ds)\nfor _ in range(2):\n    strategy.run(step, args=next(it))",
        ),
    ),
    (
        "D106",
        LOOP
        % (
            "dist = strategy.experimental_distribute_dataset(ds)",
            "",
            SUM,
            "for x, y in dist:\n    strategy.run(step, args=(x, y))",
        ),
    ),
    (
        "D106",
        LOOP
        % (
            SHARED,
            "",
            SUM,
            "def dist(batch):\n    strategy.run(step, args=batch)\n"
            "it = iter(ds)\nfor _ in range(2):\n    dist(next(it))",
        ),
    ),
    ("D106", LOOP % ("", "", SUM, RUN.replace("in ds:", "in ds.as_numpy_iterator():"))),
    ("D141", LOOP % (SHARED, "", SUM, RUN)),
    (
        "D142",
        LOOP
        % (SHARED, "", SUM, "for batch in ds:\n    strategy.run(step, args=batch)"),
    ),
    (
        "D142",
        (
            LOOP
            % (
                SHARED,
                "",
                SUM,
                "for batch in ds:\n    strategy.run(step, args=(batch,))",
            )
        ).replace("def step(x, y):", "def step(batch):\n    x, y = batch"),
    ),
    (
        "D140",
        TF
        + (
            "# synchronous training, not asynchronous\n"
            "strategy = tf.distribute.MirroredStrategy()\n"
        ),
    ),
    ("D140", TF + ("import asyncio\nstrategy = tf.distribute.MirroredStrategy()\n")),
    (
        "D140",
        TF
        + (
            "# Asynchronous checkpointing below\n"
            "strategy = tf.distribute.MirroredStrategy()\n"
        ),
    ),
    (
        "D143",
        TF
        + (
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
            "def f(ctx):\n"
            "    return tf.data.Dataset.range(8).shuffle(8, seed=ctx.input_pipeline_id).batch(2)\n"
            "ds = strategy.distribute_datasets_from_function(f)\n"
        ),
    ),
    (
        "D143",
        TF
        + (
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
            "ds = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).shuffle(8, seed=1).batch(2))\n"
        ),
    ),
    (
        "D143",
        TF
        + (
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
            "def f(ctx):\n"
            "    return tf.data.Dataset.range(8).shard(ctx.num_input_pipelines, ctx.input_pipeline_id).shuffle(8, seed=1).batch(2)\n"
            "ds = strategy.distribute_datasets_from_function(f)\n"
        ),
    ),
    (
        "D146",
        "import json, os\n"
        + TF
        + (
            "os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['a:1','b:2']}, 'task': {'type': 'worker', 'index': 0}})\n"
            "strategy = tf.distribute.MultiWorkerMirroredStrategy()\n"
        ),
    ),
)


@pytest.mark.parametrize("code, program", WRONG)
def test_is_found(code: str, program: str) -> None:
    done = migrate_text(program)
    assert code in {f.code for f in done.findings}
    assert not [f for f in done.findings if f.outcome is Outcome.FAILED]
    kept = {f.outcome for f in done.findings if f.code == code} == {Outcome.KEPT}
    if code in ("D101", "D102", "D104", "D106") and not kept:
        again = migrate_text(done.text)
        assert code not in {f.code for f in again.findings}


@pytest.mark.parametrize("code, program", RIGHT)
def test_is_left_alone(code: str, program: str) -> None:
    assert code not in {f.code for f in migrate_text(program).findings}
