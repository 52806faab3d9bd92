"""Keras in a graph's session: what is made once, what is told, and what is refused.

tests/programs/clustered/keras_supervised.py and its like are run and compared; here are the edges.
"""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

START = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
"""
END = """\
loss = tf.reduce_mean(tf.square(out - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: np.ones((2, 4)), y: np.ones((2, 1))})
"""
MODEL = """\
model = tf.keras.Sequential()
model.add(tf.keras.layers.Dense(3, input_shape=(4,)))
model.add(tf.keras.layers.Dense(1))
"""


def migrated(graph: str, end: str = END, start: str = START) -> Migration:
    return migrate_text(start + graph + end)


def refusals(migration: Migration) -> dict[str, str]:
    return {
        f.code: f.reason
        for f in migration.findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }


def of_step(migration: Migration, name: str = "train_step") -> str:
    """The text of a step function."""
    assert not refusals(migration)
    return migration.text.partition(f"def {name}(")[2].partition("\n    @")[0]


def test_a_model_is_made_with_all_its_layers_and_called_in_the_step() -> None:
    done = migrated(MODEL + "out = model(x)\n")
    made, _, step = done.text.partition("@tf.function")
    assert not done.support and "train_step.get_concrete_function()" in step
    assert made.count("model.add(tf_keras.layers.Dense(") == 2
    assert "model(x)" in step and "Dense" not in step


@pytest.mark.parametrize(
    "graph",
    [
        "out = tf.keras.layers.Dense(1)(tf.keras.layers.Dense(3)(x))\n",
        "def net(inputs):\n"
        "    return tf.keras.layers.Dense(1)(tf.keras.layers.Dense(3)(inputs))\n"
        "out = net(x)\n",
        "a = tf.keras.Input((4,))\n"
        "b = tf.keras.layers.Dense(1)(tf.keras.layers.Dense(3)(a))\n"
        "model = tf.keras.Model(a, b)\n"
        "out = model(x)\n",
        "def make():\n" + "".join(f"    {s}\n" for s in MODEL.splitlines()) + ""
        "    return model\n"
        "out = make()(x)\n",
        "class Net(tf.keras.Model):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.hidden = tf.keras.layers.Dense(3)\n"
        "        self.last = tf.keras.layers.Dense(1)\n"
        "    def call(self, inputs):\n"
        "        return self.last(self.hidden(inputs))\n"
        "net = Net()\n"
        "out = net(x)\n",
    ],
)
def test_layers_are_made_outside_of_steps(graph: str) -> None:
    done = migrated(graph)
    assert "Dense" not in of_step(done) and "Model" not in of_step(done)
    assert done.text.count("tf_keras.layers.Dense(") == 2


def test_a_models_own_tensors_are_a_call_of_it() -> None:
    fed = END.replace("{x:", "{model.inputs[0]:")
    start = START.replace("x = tf.placeholder(tf.float32, [None, 4])\n", "")
    done = migrated(MODEL + "out = model.output\n", fed, start)
    assert "model_output = model(model_input)" in of_step(done)
    assert "tf.TensorSpec(model.input_shape, tf.float32)" in done.text


def test_an_input_that_is_fed_and_of_no_model_is_a_feed() -> None:
    start = START.replace(
        "tf.placeholder(tf.float32, [None, 4])", "tf.keras.Input((4,))"
    )
    done = migrated("out = tf.keras.layers.Dense(1)(x)\n", END, start)
    assert "tf.TensorSpec([None, *(4,)], tf.float32)" in done.text
    assert "= dense(x)" in of_step(done)


def test_a_phase_that_is_set_is_told_to_what_asks_for_it() -> None:
    dropped = MODEL + "model.add(tf.keras.layers.Dropout(0.1))\nout = model(x)\n"
    done = migrated("tf.keras.backend.set_learning_phase(1)\n" + dropped)
    assert "model(x, training=True)" in of_step(done)
    quiet = migrated(
        "tf.keras.backend.set_learning_phase(1)\n" + MODEL + "out = model(x)\n"
    )
    assert "model(x)" in of_step(quiet) and "learning_phase" not in quiet.text
    never = migrated("tf.keras.backend.set_learning_phase(0)\n" + dropped)
    assert "model(x)" in of_step(never) and "learning_phase" not in never.text


def test_a_phase_that_is_fed_is_a_feed() -> None:
    fed = END.replace("y: np", "tf.keras.backend.learning_phase(): 1, y: np")
    dropped = "out = tf.keras.layers.Dense(1)(tf.keras.layers.Dropout(0.1)(x))\n"
    done = migrated(dropped, fed)
    assert "dropout(x, training=learning_phase)" in of_step(done)
    assert "np.ones((2, 1)), True)" in done.text
    quiet = migrated(MODEL + "out = model(x)\n", fed)
    assert "learning_phase" not in quiet.text and "model(x)" in of_step(quiet)


def test_keras_is_not_told_of_the_session() -> None:
    told = END.replace(
        "    sess.run(tf.g", "    tf.keras.backend.set_session(sess)\n    sess.run(tf.g"
    )
    start = START + "tf.keras.backend.manual_variable_initialization(True)\n"
    done = migrated(MODEL + "out = model(x)\n", told, start)
    assert not refusals(done)
    assert "set_session" not in done.text and "manual_variable" not in done.text


@pytest.mark.parametrize(
    "imports",
    [
        "import keras\n",
        "import keras.layers\n",
        "from keras import layers, models\nimport keras.backend.tensorflow_backend as K\n"
        "K.set_session\n",
    ],
)
def test_the_package_is_that_of_tensorflow(imports: str) -> None:
    # A name of Keras's own that nothing calls stays with what it is.
    imports = imports.replace("K.set_session\n", "")
    model = MODEL.replace("tf.keras", "keras")
    if "models" in imports:
        model = model.replace("keras.Sequential", "models.Sequential")
        model = model.replace("keras.layers", "layers")
    done = migrated(model + "out = model(x)\n", END, imports + START)
    told = [f for f in done.findings if f.code == "D158"]
    assert told and not refusals(done)
    assert "tf_keras.layers.Dense(" in done.text
    assert "import keras" not in done.text and "from keras" not in done.text


@pytest.mark.parametrize(
    "graph, end, code",
    [
        (
            MODEL + "model.add(tf.keras.layers.BatchNormalization())\nout = model(x)\n",
            END,
            "D156",
        ),
        ("out = tf.keras.layers.LSTM(1)(tf.expand_dims(x, 2))\n", END, "D156"),
        (
            "out = tf.keras.layers.Dense(1, activity_regularizer='l2')(x)\n",
            END,
            "D156",
        ),
        (
            "a = tf.keras.Input(tensor=x)\n"
            "model = tf.keras.Model(a, tf.keras.layers.Dense(1)(a))\nout = model(x)\n",
            END,
            "D156",
        ),
        (
            "a = tf.keras.Input((4,))\n"
            "b = tf.nn.relu(tf.keras.layers.Dense(1)(a))\n"
            "model = tf.keras.Model(a, b)\nout = model(x)\n",
            END,
            "D156",
        ),
        (
            MODEL + "out = model(x)\nmodel.compile('sgd', 'mse')\n",
            END + "    model.train_on_batch(np.ones((2, 4)), np.ones((2, 1)))\n",
            "D156",
        ),
        (
            MODEL + "out = model(x)\n",
            END.replace(
                "tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
                "tf.keras.optimizers.SGD(0.1).get_updates(loss, model.trainable_weights)",
            ),
            "D156",
        ),
        (
            "with tf.variable_scope('net'):\n    out = tf.keras.layers.Dense(1)(x)\n",
            END,
            "D156",
        ),
        (
            MODEL + "out = model(x)\nf = tf.keras.backend.function([x], [out])\n",
            END,
            "D156",
        ),
        (
            "count = tf.keras.metrics.Mean()\nout = tf.keras.layers.Dense(1)(x)\n"
            "count(out)\n",
            END,
            "D156",
        ),
        # Which of two phases a layer has is seen where both are set once.
        (
            "tf.keras.backend.set_learning_phase(1)\n"
            "out = tf.keras.layers.Dropout(0.1)(tf.keras.layers.Dense(1)(x))\n"
            "tf.keras.backend.set_learning_phase(0)\n",
            END,
            "D156",
        ),
        (
            "out = tf.keras.layers.Dropout(0.1)(tf.keras.layers.Dense(1)(x))\n"
            "tf.keras.backend.set_learning_phase(1)\n",
            END,
            "D156",
        ),
        (
            "tf.keras.backend.set_learning_phase(1)\n"
            "out = x\n"
            "for layer in [tf.keras.layers.Dropout(0.1), tf.keras.layers.Dense(1)]:\n"
            "    out = layer(out)\n",
            END,
            "D156",
        ),
    ],
)
def test_refused(graph: str, end: str, code: str) -> None:
    done = migrated(graph, end)
    assert code in refusals(done), refusals(done)
    assert "Session()" in done.text  # It is left whole.


def test_several_inputs_are_refused() -> None:
    graph = (
        "a, b = tf.keras.Input((4,)), tf.keras.Input((4,))\n"
        "both = tf.keras.layers.add([a, b])\n"
        "model = tf.keras.Model([a, b], tf.keras.layers.Dense(1)(both))\n"
        "out = model.output\n"
    )
    done = migrated(graph, END.replace("{x:", "{model.inputs[0]: 1, model.inputs[1]:"))
    assert "D156" in refusals(done)


@pytest.mark.parametrize(
    "build, take, fetch",
    [
        ("return (train_op, loss)", "train_op, loss = build(x, y)", "loss"),
        ("return [train_op, loss]", "train_op, loss = build(x, y)", "loss"),
        ("return train_op, loss", "r = build(x, y)\ntrain_op, loss = r", "loss"),
        ("return train_op, loss", "a, b = build(x, y)\ntrain_op, loss = a, b", "loss"),
        (
            "return train_op, loss",
            "train_op, loss = build(x, y)\nops = [train_op, loss]",
            "ops[1]",
        ),
        (
            "return train_op, loss",
            "train_op, loss = build(x, y)\nops = {'t': train_op, 'l': loss}",
            "ops['l']",
        ),
    ],
)
def test_what_fetches_a_loss_does_not_train(build: str, take: str, fetch: str) -> None:
    program = f"""\
import numpy as np
import tensorflow as tf

def build(x, y):
    w = tf.get_variable("w", [4, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    {build}

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
{take}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {{x: np.ones((2, 4)), y: np.ones((2, 1))}})
    print(sess.run({fetch}, {{x: np.ones((2, 4)), y: np.ones((2, 1))}}))
"""
    done = migrate_text(program)
    assert not refusals(done)
    *_, last = done.text.split("@tf.function")
    looked = last.partition("print(")[0]
    assert "apply_gradients" not in looked and "return" in looked
    assert done.text.count("apply_gradients") == 1


def test_a_run_of_a_tensor_beside_an_update_does_not_make_the_update() -> None:
    program = START + MODEL.replace("tf.keras", "tf.keras") + "out = model(x)\n"
    end = END.replace(
        "with tf.Session()", "ops = [train_op, tf.sqrt(loss)]\nwith tf.Session()"
    )
    end += "        print(sess.run(ops[1], {x: np.ones((2, 4)), y: np.ones((2, 1))}))\n"
    done = migrate_text(program + end)
    assert not refusals(done)
    assert "apply_gradients" not in done.text.partition("def compute_ops_1")[2]
    renamed = end.replace("\nwith tf", "\nsame = ops\nsame.reverse()\nwith tf")
    assert "N107" in refusals(migrate_text(program + renamed))
