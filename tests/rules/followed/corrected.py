"""Cases that the tool corrects or leaves, and the same correction made by hand.

`CORRECTED` has, for such a case with a recipe, what the recipe changes in its program.
"""

from __future__ import annotations

CORRECTED: dict[str, tuple[tuple[str, str], ...]] = {
    "D101": (('"localhost:1,localhost:2"', '"localhost:1", "localhost:2"'),),
    "D102": (("from_logits=True", "from_logits=False"),),
    "D102_logits": (
        ("CategoricalCrossentropy(", "CategoricalCrossentropy(from_logits=True"),
    ),
    "D104": (
        (
            "tf.reduce_mean(per_example_loss)",
            "tf.nn.compute_average_loss(per_example_loss)",
        ),
    ),
    "D106": (("in batches", "in strategy.experimental_distribute_dataset(batches)"),),
    "D108_communication": (
        (
            "tf.distribute.experimental.CollectiveCommunication.RING",
            "communication_options=tf.distribute.experimental.CommunicationOptions("
            "implementation=tf.distribute.experimental.CommunicationImplementation.RING)",
        ),
    ),
    "D108_iterator": (
        (
            "strategy.make_dataset_iterator(tf.data.Dataset.range(8).batch(4))",
            "iter(strategy.experimental_distribute_dataset("
            "tf.data.Dataset.range(8).batch(4)))",
        ),
    ),
    "D140": (("asynchronously", "synchronously"),),
    "D141": (
        ("in dataset", "in strategy.experimental_distribute_dataset(dataset)"),
        ("    train_step(x, y)\n", "    strategy.run(train_step, args=(x, y))\n"),
    ),
    "D142": (("args=(batch,)", "args=batch"),),
    "D143": (("seed=7", "seed=7 + context.input_pipeline_id"),),
    "D146": ((', "evaluator": ["d:1"]', ""),),
    "D147": (
        ("        _, step = sess.run(", "        sess.run("),
        ("batches[step]})", "batches[step]})\n        step += 1"),
    ),
    "D167": (
        ("(step, value)", "(step, value.item())"),
        ("sess.run(w))", "sess.run(w).item())"),
    ),
    "P110_strategy": (
        (
            "tf.compat.v1.fixed_size_partitioner",
            "tf.distribute.experimental.partitioners.FixedShardsPartitioner",
        ),
    ),
    "T152": (("as tf\n", "as tf\n\ntf.disable_v2_behavior()\n"),),
}
# Of these the tool writes something else than the recipe, or nothing, and why.
OTHERWISE = {
    "D104": "the tool also counts the rows of the whole batch, which may not be even",
    "D147": "the program meant the same in TensorFlow 1, so the tool leaves it",
    "T152": "the tool takes the program for one in graph mode, and migrates it",
}
# Cases whose recipe changes nothing in the program, and why.
NOT_CORRECTED = {
    "D158_keras3": "the recipe installs a package",
    "O101_decay": "the recipe is for another result: TensorFlow 1 ignored the argument too",
}
