"""Recipes of mistakes that the tool finds and does not mend by itself."""

from __future__ import annotations

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
FOLLOWED = {
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
