"""Programs migrated by half: what is written where it is certain, and refused where not."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

FIT = """
import tensorflow as tf
import numpy as np
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.distribute.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
with tf.device(tf.compat.v1.train.replica_device_setter(cluster=cluster)):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    model.fit(xs, ys, epochs=2)
model.save("model.h5")
"""
# What of a fit is not certain.
FIT_REFUSED = {
    "batches by hand": (
        "D156",
        "model.fit(xs, ys, epochs=2)",
        "model.train_on_batch(xs, ys, sample_weight=ws)",
    ),
    "batches of a model that is saved": (
        "D156",
        "model.fit(xs, ys, epochs=2)",
        "model.train_on_batch(xs, ys)",
    ),
    "a method that is not known": ("D156", "model.save(", "model.load_weights("),
    "a model that is passed on": ("D156", 'model.save("model.h5")', "tested(model)"),
    "arguments that are not seen": ("D156", "epochs=2", "**given"),
    "a session that is asked": (
        "D121",
        "    model.fit",
        "    sess.run(op)\n    model.fit",
    ),
    "a session that ends": (
        "D121",
        "    model.fit",
        "    while not sess.should_stop():\n     model.fit",
    ),
    "hooks": (
        "D121",
        "is_chief=(task == 0)",
        "hooks=[tf.compat.v1.train.StopAtStepHook(9)]",
    ),
    "a shard of the task": ("C109", "model.fit(xs,", "model.fit(xs[task::2],"),
    "data of the task": ("C109", "server = ", "np.random.seed(task)\nserver = "),
    "checkpoints of two fits": (
        "D121",
        "is_chief=(task == 0)) as sess:\n",
        "is_chief=(task == 0), checkpoint_dir='d') as sess:\n    model.fit(xs, ys)\n",
    ),
    "a model that is compiled again": (
        "D125",
        'model.save("model.h5")',
        'model.compile("adam", "mse")\nmodel.fit(xs, ys)',
    ),
    "a device by hand": (
        "D125",
        "tf.device(tf.compat.v1.train.replica_device_setter(cluster=cluster))",
        'tf.device("/gpu:0")',
    ),
    "a placeholder": (
        "D121",
        "model.save",
        "p = tf.compat.v1.placeholder('float')\nmodel.save",
    ),
    "no join": ("D121", "    server.join()", "    pass"),
}
_BEFORE = """
import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.distribute.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
mse = tf.keras.losses.MeanSquaredError()
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)

def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = mse(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss

with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    for x, y in dataset:
        sess.run(train_step(x, y))
"""
# What is not certain: the code, and what makes it so.
REFUSED = {
    "a placeholder": (
        "D121",
        "dataset =",
        "p = tf.compat.v1.placeholder('float')\ndataset =",
    ),
    "two sessions": (
        "D121",
        "is_chief=(task == 0)) as sess:",
        "is_chief=(task == 0)) as sess, tf.compat.v1.Session() as other:",
    ),
    "a graph's hook": (
        "D121",
        "is_chief=(task == 0)",
        "hooks=[tf.compat.v1.train.LoggingTensorHook(['loss'], 10)]",
    ),
    "a hook that is given a graph's saver": (
        "D121",
        "is_chief=(task == 0)",
        "hooks=[tf.compat.v1.train.CheckpointSaverHook('d', 9, saver=s)]",
    ),
    "batches by hand in the session": (
        "D156",
        _BEFORE[_BEFORE.index("def train_step") :],
        "with tf.compat.v1.train.MonitoredTrainingSession(\n"
        "        master=server.target, is_chief=(task == 0)) as sess:\n"
        "    model.train_on_batch(xs, ys, sample_weight=ws)\n",
    ),
    "a fetch of a graph": (
        "D121",
        "sess.run(train_step(x, y))",
        "sess.run([train_step(x, y)])",
    ),
    "a checkpoint by every worker": (
        "D121",
        "dataset =",
        "saver = tf.train.Checkpoint(step=tf.Variable(1))\ndataset =",
    ),
    "a training loop of Keras": (
        "D121",
        "        sess.run(",
        "        print(model.predict(x))\n        sess.run(",
    ),
    "a batch that is changed": (
        "D125",
        "        sess.run(",
        "        x = tf.reshape(x, [-1, 4])\n        sess.run(",
    ),
    "a dataset made anew": (
        "D125",
        "    for x, y in dataset:",
        "    seed = 1\n    for x, y in dataset.shuffle(9, seed):",
    ),
    "a loss object passed on": ("D132", "dataset =", "model.add_loss(mse)\ndataset ="),
    "jobs that are not seen": (
        "D121",
        '{"ps": ["a:1"], "worker": ["b:1", "c:1"]}',
        "jobs",
    ),
    "no join": ("D121", "    server.join()", "    pass"),
    "which worker?": (
        "D121",
        "server = tf.distribute.Server(cluster, job_name=job, task_index=task)\n"
        'if job == "ps":\n    server.join()\n',
        "",
    ),
    "a device by hand": (
        "D125",
        "model = tf.keras",
        'with tf.device("/job:ps/task:0"):\n    model = tf.keras',
    ),
    "control flow": (
        "D125",
        "    return loss",
        "    if loss > 1:\n        pass\n    return loss",
    ),
    "a print in the step": (
        "D125",
        "    return loss",
        "    print(loss)\n    return loss",
    ),
    "a choice by a flag around the update": (
        "D125",
        "    optimizer.apply_gradients(zip(grads, model.trainable_variables))",
        "    if np:\n"
        "        optimizer.apply_gradients(zip(grads, model.trainable_variables))",
    ),
    "a step that reads what the loop counts": (
        "D125",
        "        sess.run(train_step(x, y))",
        "        count = count + 1\n        sess.run(train_step(x, y * count))",
    ),
    "a function that reads what the loop counts": (
        "D125",
        _BEFORE[_BEFORE.index("def train_step") :],
        _BEFORE[_BEFORE.index("def train_step") :]
        .replace("return loss", "return loss * epoch")
        .replace("    for x, y", "    for epoch in range(2):\n     for x, y"),
    ),
    "a tape in the loop that reads what it counts": (
        "D125",
        _BEFORE[_BEFORE.index("def train_step") :],
        """with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    for n, (x, y) in enumerate(dataset):
        with tf.GradientTape() as tape:
            loss = mse(y, model(x)) * n
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
""",
    ),
    "what is asked of the optimizer between tape and update": (
        "D125",
        _BEFORE[_BEFORE.index("def train_step") :],
        """with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = mse(y, model(x))
        print(optimizer.iterations.numpy())
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
""",
    ),
    "a number drawn in the step": (
        "D125",
        "loss = mse(y, model(x))",
        "loss = mse(y, model(x)) * np.random.rand()",
    ),
    "a task in the step": (
        "D125",
        "loss = mse(y, model(x))",
        "loss = mse(y, model(x)) * task",
    ),
    "an optimizer that is not seen": ("D125", "tf.keras.optimizers.SGD(0.1)", "made()"),
    "a TF1 optimizer, whose updates nothing counts": (
        "D125",
        _BEFORE[_BEFORE.index("tf.keras.optimizers.SGD(0.1)") :],
        _BEFORE[_BEFORE.index("tf.keras.optimizers.SGD(0.1)") :]
        .replace("tf.keras.optimizers.SGD", "tf.compat.v1.train.AdamOptimizer")
        .replace("is_chief", "checkpoint_dir='d', is_chief"),
    ),
    "a compiled model that is asked for its optimizer": (
        "D156",
        _BEFORE[_BEFORE.index("def train_step") :],
        "model.compile('sgd', 'mse')\n"
        "with tf.compat.v1.train.MonitoredTrainingSession(\n"
        "        master=server.target, is_chief=(task == 0)) as sess:\n"
        "    for i in range(9):\n"
        "        model.train_on_batch(xs[i:i + 4], ys[i:i + 4])\n"
        "        model.optimizer.lr = 0.5\n",
    ),
    "a step that counts in TF1's global step": (
        "D125",
        _BEFORE[_BEFORE.index("tf.keras.optimizers.SGD(0.1)") :],
        _BEFORE[_BEFORE.index("tf.keras.optimizers.SGD(0.1)") :]
        .replace("tf.keras.optimizers.SGD", "tf.compat.v1.train.AdamOptimizer")
        .replace("variables))", "variables), global_step=step)"),
    ),
    "a checkpoint in the loop": (
        "D121",
        "        sess.run(train_step(x, y))",
        "        sess.run(train_step(x, y))\n"
        "        tf.train.Checkpoint(model=model).save('d')",
    ),
    "rows one by one": (
        "D125",
        "    for x, y in dataset:",
        "    for i in range(9):\n        x, y = xs[i], ys[i]",
    ),
    "a batch by hand that is changed": (
        "D125",
        "    for x, y in dataset:",
        "    for i in range(9):\n        x, y = xs[i:i + 4], ys[i:i + 4]\n        x += 1",
    ),
    "arrays that are made in the loop": (
        "D125",
        "    for x, y in dataset:",
        "    for i in range(9):\n        xs = xs + 1\n"
        "        x, y = xs[i:i + 4], ys[i:i + 4]",
    ),
    "arrays that each worker shuffles in place": (
        "D125",
        "    for x, y in dataset:",
        "    for i in range(9):\n        np.random.shuffle(xs)\n"
        "        x, y = xs[i:i + 4], ys[i:i + 4]",
    ),
    "a step whose loss has a gradient of its own": (
        "D125",
        "    optimizer.apply_gradients(zip(grads, model.trainable_variables))",
        "    optimizer.minimize(lambda: mse(y, model(x)), model.weights, grad_loss=2.0)",
    ),
    "a metric that is passed on": (
        "D125",
        "dataset =",
        "seen = tf.keras.metrics.Mean()\nall_of = [seen]\ndataset =",
    ),
    "a metric of the step alone": (
        "D125",
        "loss = mse(y, model(x))",
        "loss = mse(y, model(x))\n        seen = tf.keras.metrics.Mean()",
    ),
    "a metric that the step reads": (
        "D125",
        _BEFORE[_BEFORE.index("dataset =") :],
        "seen = tf.keras.metrics.Mean()\n"
        + _BEFORE[_BEFORE.index("dataset =") :].replace(
            "return loss", "return seen.result()"
        ),
    ),
    "a metric of another traced function": (
        "D125",
        "dataset =",
        "seen = tf.keras.metrics.Mean()\n"
        "@tf.function\ndef tested(x):\n    print(x)\n    seen(model(x))\ndataset =",
    ),
    "a metric of a traced function that draws": (
        "D125",
        "dataset =",
        "seen = tf.keras.metrics.Mean()\n"
        "@tf.function\ndef tested(x):\n    noise = tf.random.normal([4], seed=3)\n"
        "    seen(model(x + noise))\ndataset =",
    ),
    "data that is not a dataset": (
        "D125",
        "for x, y in dataset:",
        "for x, y in reader:",
    ),
    "a global that the loop rebinds": (
        "C109",
        "        sess.run(",
        "        global seen\n        seen = 1\n        sess.run(",
    ),
}


@pytest.mark.parametrize("what", FIT_REFUSED)
def test_what_is_not_certain_of_a_fit_is_refused(what: str) -> None:
    code, old, new = FIT_REFUSED[what]
    assert (
        FIT.count(old) == 1
        and "fits.fit(model, xs, ys, epochs=2)" in migrate_text(FIT).text
    )
    text = FIT.replace(old, new)
    migration = migrate_text(text)
    assert code in {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    changed = [x for x in migration.text.split("\n") if "TODO(tf1to2)" not in x]
    assert changed == text.split("\n")


def test_what_only_counts_is_not_traced_for_all_workers() -> None:
    """And a session that nothing names is one."""
    text = (
        _BEFORE.replace(
            "dataset =",
            "seen = tf.keras.metrics.Mean()\n"
            "@tf.function\ndef tested(x):\n    seen(model(x))\ndataset =",
        )
        .replace(" as sess:", ":")
        .replace("sess.run(train_step(x, y))", "train_step(x, y)")
    )
    migration = migrate_text("import numpy as np" + text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "\n@tf.function" not in migration.text and "def tested" in migration.text


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_certain_is_refused(what: str) -> None:
    code, old, new = REFUSED[what]
    assert _BEFORE.count(old) == 1
    text = "import numpy as np" + _BEFORE.replace(old, new)
    migration = migrate_text(text)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    assert code in refused
    changed = [x for x in migration.text.split("\n") if "TODO(tf1to2)" not in x]
    assert changed == text.split("\n")


def test_a_loss_object_takes_its_mean_wherever_it_is_called() -> None:
    text = _BEFORE.replace(
        "def train_step",
        "def tested(x, y):\n    return mse(y, model(x))\n\ndef train_step",
    )
    new = migrate_text(text).text
    assert "return tf.reduce_mean(mse(y, model(x)))" in new
    assert new.count("tf.reduce_mean(mse(") == 2


SHARDED = _BEFORE.replace(
    ".batch(8)", "\ndataset = dataset.shard(2, task)\ndataset = dataset.batch(8)"
)


def test_every_worker_has_its_shard() -> None:
    """And whatever is made of it: a batch of worker 0's shard would be all workers'."""
    text = migrate_text(SHARDED).text
    assert (
        "per_worker(\n    lambda dataset=dataset: "
        "dataset.shard(2, training_session.task_index(task)))"
    ) in text
    assert "per_worker(\n    lambda dataset=dataset: dataset.batch(8))" in text
    made = SHARDED.replace("dataset = tf.data", "def made():\n    return tf.data")
    made = made.replace("\ndataset = dataset.shard", ".shard").replace(
        "\ndataset = dataset.batch(8)", ".batch(8)\n\ndataset = made()"
    )
    text = migrate_text(made).text
    assert "shard(2, training_session.task_index(task))" in text


@pytest.mark.parametrize(
    "statement",
    [
        "xs = xs[task::2]\n",
        "np.random.seed(task)\n",
        "own = task + 1\nxs = xs * own\n",
    ],
)
def test_data_of_a_task_is_not_taken_for_that_of_all(statement: str) -> None:
    text = _BEFORE.replace("dataset =", statement + "dataset =")
    found = {f.code for f in migrate_text("import numpy as np" + text).findings}
    assert "C109" in found


def test_a_script_of_one_task() -> None:
    """Its index is a number, which other numbers of the program are not."""
    text = _BEFORE.replace("task_index=task", "task_index=0").replace(
        "job_name=job", 'job_name="worker"'
    )
    text = text.replace('if job == "ps":\n    server.join()\n', "")
    text = text.replace("is_chief=(task == 0)", "is_chief=True")
    text = text.replace("loss = mse(y, model(x))", "loss = mse(y, model(x)[:, 0:1])")
    new = migrate_text(text).text
    assert "is_chief=task_index == 0)" in new
    assert 'is_coordinator(\n    cluster, "worker", 0)' in new
    assert "model(x)[:, 0:1]" in new


def test_a_chief_is_told_in_every_loop() -> None:
    text = _BEFORE.replace("model = tf", "is_chief = task == 0\nmodel = tf")
    text = text.replace("is_chief=(task == 0)", "is_chief=is_chief")
    new = migrate_text(text).text
    loop = new[new.index("def run_worker(task_index)") :]
    assert "is_chief = task_index == 0" in loop


def _workers(body: str, returned: str = "loss") -> str:
    text = _BEFORE.replace('"ps": ["a:1"], ', "").replace(
        'if job == "ps":\n    server.join()\n', ""
    )
    text = text.replace("loss = mse(y, model(x))", body)
    return text.replace("return loss", f"return {returned}")


@pytest.mark.parametrize(
    "body",
    [
        "loss = tf.sqrt(tf.reduce_mean(tf.square(model(x) - y)))",
        "loss = tf.reduce_mean(model(x) - tf.reduce_mean(model(x)))",
        "loss = tf.reduce_sum(model(x)) + sum(model.losses)",
        "loss = tf.nn.compute_average_loss(model(x))",
        "loss = mse(y, model(x)) * tf.reduce_mean(x)",
    ],
)
def test_a_loss_that_parts_do_not_add_up_to(body: str) -> None:
    """Workers alone would need to know how it divides; parameter servers need not."""
    migration = migrate_text(_workers(body))
    assert "D125" in {f.code for f in migration.findings}
    assert "strategy" not in migration.text
    servers = migrate_text(_BEFORE.replace("loss = mse(y, model(x))", body))
    assert "ParameterServerStrategy" in servers.text


def test_what_a_part_gives_is_not_the_whole() -> None:
    migration = migrate_text(
        _workers("p = model(x)\n        loss = mse(y, p)", "loss, p")
    )
    assert "D125" in {f.code for f in migration.findings}


@pytest.mark.parametrize(
    "metric, counted",
    [
        ("Mean", "tf.sqrt(loss)"),
        ("Sum", "loss"),
        ("Mean", "loss, sample_weight=2.0"),
        ("Mean", "tf.reduce_mean(model(x), axis=0)"),
    ],
)
def test_a_metric_that_parts_do_not_add_up_to(metric: str, counted: str) -> None:
    """Workers alone have parts; under parameter servers a step has its whole batch."""
    for text, certain in (
        (_workers("loss = mse(y, model(x))"), False),
        (_BEFORE, True),
    ):
        text = text.replace(
            "dataset =", f"seen = tf.keras.metrics.{metric}()\ndataset ="
        )
        text = text.replace("    return loss", f"    seen({counted})\n    return loss")
        codes = {f.code for f in migrate_text(text).findings}
        assert ("D125" not in codes) is certain and ("D132" in codes) is certain


def test_a_metric_in_the_loop_of_workers_alone() -> None:
    """The step's result is that of all; of the batch a worker has its part."""
    text = _workers("loss = mse(y, model(x))")
    text = text.replace("dataset =", "seen = tf.keras.metrics.Mean()\ndataset =")
    loop = "        sess.run(train_step(x, y))"
    assert loop in text
    of_all = text.replace(loop, "        loss = train_step(x, y)\n        seen(loss)")
    assert "        seen(loss)" in migrate_text(of_all).text
    of_part = text.replace(loop, loop + "\n        seen(mse(y, model(x)))")
    assert "D125" in {f.code for f in migrate_text(of_part).findings}


def test_what_only_the_author_knows_is_told() -> None:
    text = _BEFORE.replace(
        "    for x, y", "    while not sess.should_stop():\n      for x, y"
    )
    text = text.replace("        sess.run", "          sess.run")
    found = {f.code: f.outcome for f in migrate_text(text).findings}
    assert found["D134"] is Outcome.KEPT
    shuffled = _workers("loss = mse(y, model(x))").replace(
        ").batch", ").shuffle(9).batch"
    )
    found = {f.code: f.outcome for f in migrate_text(shuffled).findings}
    assert found["D135"] is Outcome.KEPT


CUT = """
import numpy as np
import tensorflow as tf
cluster = tf.train.ClusterSpec({"worker": ["b:1", "c:1"]})
server = tf.distribute.Server(cluster, job_name="worker", task_index=task)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)

class Trainer:
    def __init__(self, scale):
        self.scale = scale
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.scale * tf.reduce_mean(tf.square(y - model(x)))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))

trainer = Trainer(2.0)
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    for i in range(0, 99, 9):
        rows = np.random.choice(99, 9)
        trainer.step(xs[rows], ys[rows])
"""


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("C109", "np.random.choice(99, 9)", "np.random.permutation(99)[task:9]"),
        ("D125", "    for i in", "    trainer.scale = 3.0\n    for i in"),
        ("D125", "        grads =", "        self.last = loss\n        grads ="),
        ("D125", "trainer = Trainer(2.0)", "if task == 0:\n    trainer = Trainer(2.0)"),
        ("D125", "self.scale * tf.reduce_mean", "tf.exp"),
    ],
)
def test_a_method_of_a_batch_that_is_cut_is_refused(
    code: str, old: str, new: str
) -> None:
    assert CUT.count(old) == 1
    found = migrate_text(CUT.replace(old, new)).findings
    assert code in {f.code for f in found if f.outcome is Outcome.REFUSED}


def test_rows_that_each_worker_draws_otherwise_are_told() -> None:
    found = {
        f.code for f in migrate_text(CUT.replace("self.scale *", "2.0 *")).findings
    }
    assert "D135" in found
    seeded = CUT.replace("self.scale *", "2.0 *").replace(
        "trainer = ", "np.random.seed(1)\ntrainer = "
    )
    migration = migrate_text(seeded)
    assert "D135" not in {f.code for f in migration.findings}
    assert "*replicas.part_of(x_batch, y_batch)" in migration.text
