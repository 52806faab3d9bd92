"""Lists of variables have TensorFlow 1's order, or their line says that they have not."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner
from tests import ledger

START = """import numpy as np
import tensorflow as tf
step = tf.Variable(0, trainable=False, name="global_step")
x = tf.placeholder(tf.float32, [None, 4])
"""
# A network of layers alone: they are made in the first step, in their order.
LAYERS = """h = tf.layers.dense(x, 5, name="first")
h = tf.layers.dense(h, 3, name="middle")
out = tf.layers.dense(h, 1, name="last")
"""
# Variables of both kinds in turn: in TensorFlow 2 those of layers come last.
MIXED = """a = tf.Variable(tf.ones([4, 4]), name="a")
h = tf.layers.dense(tf.matmul(x, a), 5, name="first")
b = tf.get_variable("b", [5])
out = tf.layers.dense(h * b, 1, name="last")
"""
# Two optimizers, whose variables come after those that were made by hand.
BY_HAND = """w = tf.get_variable("w", [4, 3])
with tf.variable_scope("top"):
    v = tf.get_variable("v", [3, 1])
out = tf.matmul(tf.nn.tanh(tf.matmul(x, w)), v)
"""
TRAIN = """loss = tf.reduce_mean(tf.square(out - 1.0))
train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
other = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: np.ones((2, 4))})
    sess.run(other, {x: np.ones((2, 4))})
"""
WRITTEN_OUT = "[a, *first.trainable_weights, b, *last.trainable_weights]"
NAMES = """    print([v.name for v in tf.global_variables()])
    print([v.name for v in tf.trainable_variables()])
"""
PLACES = [
    "print(sess.run(tf.trainable_variables()[1]))",
    "for i, v in enumerate(tf.trainable_variables()):\n        print(i, v.name)",
    "values = sess.run(tf.trainable_variables())\n    print(values[2].sum())",
    "print([v.name for v in tf.trainable_variables()[:2]])",
]


# The layers of a loop have no names of their own.
LOOPED = """a = tf.Variable(tf.ones([4, 4]), name="a")
h = x
for i in range(2):
    h = tf.layers.dense(tf.matmul(h, a), 4)
b = tf.get_variable("b", [4])
out = h * b
"""


@pytest.mark.parametrize("use", PLACES)
def test_places_in_another_order_are_refused(use: str) -> None:
    """If the tool knows the order, it writes the list out."""
    done = {
        network: migrate_text(f"{START}{network}{TRAIN}    {use}\n")
        for network in (LAYERS, MIXED, LOOPED)
    }
    refused = {
        network: {f.code for f in of.findings if f.outcome is Outcome.REFUSED}
        for network, of in done.items()
    }
    assert "N105" in refused[LOOPED]
    assert not refused[LAYERS] and not refused[MIXED]
    assert WRITTEN_OUT in done[MIXED].text


def test_a_list_that_is_shown_in_another_order_is_told() -> None:
    """That of the trainable variables is written out."""
    told = {
        network: [
            (f.symbol, f.outcome)
            for f in done.findings
            if "in the order in which" in f.reason
        ]
        for network in (LAYERS, MIXED, BY_HAND)
        for done in [migrate_text(START + network + TRAIN + NAMES)]
    }
    assert told[MIXED] == [("tf.global_variables", Outcome.WARNED)]
    assert not told[LAYERS] and not told[BY_HAND]


@pytest.mark.parametrize(
    ("graph", "run"),
    [
        ("", "values = sess.run(tf.trainable_variables())\n    print(values)"),
        ("", "for v in tf.trainable_variables():\n        print(v.shape)"),
        (
            "sizes = [tf.norm(v) for v in tf.trainable_variables()]\n",
            "print(sess.run(sizes))",
        ),
        (
            "flat = tf.concat([tf.reshape(v, [-1]) for v in tf.trainable_variables()], 0)\n",
            "total = sess.run(flat)",
        ),
    ],
)
def test_a_list_whose_order_matters_is_written_out(graph: str, run: str) -> None:
    done = migrate_text(f"{START}{MIXED}{graph}{TRAIN}    {run}\n")
    assert all(f.outcome is not Outcome.REFUSED for f in done.findings)
    assert WRITTEN_OUT in done.text


def test_a_list_that_is_computed_in_an_unknown_order_is_refused() -> None:
    both = "both = OF([tf.reshape(v, [-1]) for v in tf.trainable_variables()], 0)\n"
    loop = LOOPED + both
    text = f"{START}{loop}{TRAIN}    print(sess.run(both))\n"
    assert "N105" in _refused(text.replace("OF", "tf.concat"))
    sums = (
        "    print(sess.run(tf.add_n([tf.norm(v) for v in tf.trainable_variables()])))"
    )
    free = text[: text.index("both =")] + TRAIN + sums + "\n"
    assert "N105" not in _refused(free)


def test_no_order_matters_to_what_goes_by_names() -> None:
    use = "print(len([v for v in tf.trainable_variables() if 'first' in v.name]))\n"
    saved = "saver = tf.train.Saver(tf.trainable_variables())\n"
    text = START + MIXED + saved + TRAIN + f"    count = {use[6:-2]}\n"
    done = migrate_text(text)
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert not [f for f in done.findings if "in the order in which" in f.reason]


def test_the_names_are_those_of_tf1_in_their_order(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    """Slots, counters and the global step among them; in the mixed program they differ."""
    ledger.rests_on(ledger.COMPILER)
    texts = {
        name: START + network + TRAIN + NAMES
        for name, network in (("layers", LAYERS), ("hand", BY_HAND), ("mixed", MIXED))
    }
    migrated = {name: migrate_text(text).text for name, text in texts.items()}
    assert not any("tf.placeholder" in text for text in migrated.values())
    printed: dict[str, list[str]] = {}
    for name, text in texts.items():
        printed[name] = []
        for python, program in ((tf1, text), (sys.executable, migrated[name])):
            directory = tmp_path / f"{name}_{len(printed[name])}"
            directory.mkdir()
            path = directory / "program.py"
            path.write_text(program)
            if python == sys.executable:
                beside.write(directory, program)
            done = processes.run_program([python, path], environment=runner.ENVIRONMENT)
            printed[name].append(done.stdout)
    for name in ("layers", "hand"):
        old, new = printed[name]
        assert old == new and old.count("Adam_1:0") == (6 if name == "layers" else 2)
    old, new = printed["mixed"]
    assert old != new and sorted(old) == sorted(new)


# Gradients by hand of a network of layers, whose variables are made in the first step.
BY_LAYERS = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
first = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer())
second = tf.layers.Dense(1, kernel_initializer=tf.ones_initializer())
out = second(first(x))
loss = tf.reduce_mean(tf.square(out))
variables = tf.trainable_variables()
gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 0.5)
optimizer = tf.train.GradientDescentOptimizer(0.1)
train = optimizer.apply_gradients(zip(gradients, variables))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(*sess.run([train, loss, norm], {x: np.ones([2, 2])})[1:])
"""


def _refused(text: str) -> set[str]:
    found = migrate_text(text).findings
    return {f.code for f in found if f.outcome is Outcome.REFUSED} - {"N100"}


def test_gradients_by_all_variables_of_layers() -> None:
    migration = migrate_text(BY_LAYERS)
    assert not _refused(BY_LAYERS)
    assert "tape.gradient(loss, variables)" in migration.text


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        # A layer is called after the list was made.
        (
            "gradients, norm",
            "loss += tf.reduce_sum(tf.layers.Dense(3)(x))\ngradients, norm",
            "N105",
        ),
        (
            "gradients, norm",
            "third = tf.layers.Dense(3)\nloss += tf.reduce_sum(third(x))\n"
            "gradients, norm",
            "N105",
        ),
        # By place, or with other variables.
        ("optimizer = ", "one = gradients[0]\noptimizer = ", "O117"),
        ("optimizer = ", "print(len(gradients))\noptimizer = ", "O117"),
        ("zip(gradients, variables)", "zip(gradients, variables[:1])", "O117"),
        ("zip(gradients, variables)", "zip(gradients, first.weights)", "O117"),
    ],
)
def test_gradients_by_variables_that_may_stand_elsewhere(
    old: str, new: str, code: str
) -> None:
    assert BY_LAYERS.count(old) == 1
    assert code in _refused(BY_LAYERS.replace(old, new))


@pytest.mark.parametrize(
    "between, steady",
    [("other = 'w'", True), ("part = 'w'", False)],
    ids=["another-name", "the-same-name"],
)
def test_a_saver_lists_by_what_stays(between: str, steady: bool) -> None:
    """It lists its variables anew at each save: what chooses them must be the same."""
    text = (
        "import tensorflow as tf\n"
        "v = tf.get_variable('v', [])\nw = tf.get_variable('w', [])\n"
        "every = tf.trainable_variables()\npart = 'v'\n"
        f"chosen = [o for o in every if part in o.name]\n{between}\n"
        "saver = tf.train.Saver(chosen)\n"
        "with tf.Session() as sess:\n"
        "  sess.run(tf.global_variables_initializer())\n"
        "  saver.save(sess, './model')\n"
    )
    refused = [
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    ]
    assert ("V111" in refused) is not steady


PROGRAMS = pathlib.Path(__file__).parents[3] / "programs"
COPIES = (PROGRAMS / "alone" / "lists_after_minimize.py").read_text()
DECAY = "tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])"
LONGER = """    hidden = tf.layers.dense(hidden, 5, name="more")
    q_ = tf.layers.dense(hidden, 3, name="t2\""""


def find_refusals(text: str) -> set[str]:
    done = migrate_text(text)
    return {f.code for f in done.findings if f.outcome is Outcome.REFUSED}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.stop_gradient(r", "tf.identity(r"),
        ("train = tf", 'with tf.variable_scope("target_net"):\n    train = tf'),
        ('    q_ = tf.layers.dense(hidden, 3, name="t2"', LONGER),
        ('name="e1"', 'name="e1", use_bias=False'),
        ("with tf.Session()", "print(len(e_params))\nwith tf.Session()"),
        ("zip(t_params, e_params)", "zip(e_params, e_params)"),
        ("train = tf", f"loss += {DECAY}\ntrain = tf"),
        (
            "train = tf",
            f"def decay():\n    return {DECAY}\n\nloss += decay()\ntrain = tf",
        ),
        ("train = tf", "loss += tf.reduce_mean(q_)\ntrain = tf"),
        (
            "train = tf",
            "parts = [loss]\nparts.append(q_)\nloss = tf.add_n(parts)\ntrain = tf",
        ),
    ],
    ids=[
        *("both learn", "powers", "longer", "fewer", "counted", "with itself"),
        *("all decay", "all decay by a function", "added up", "listed"),
    ],
)
def test_a_list_with_slots_is_refused(old: str, new: str) -> None:
    assert COPIES.count(old) == 1
    assert "N105" in find_refusals(COPIES.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "minimize(loss)",
            'minimize(loss, var_list=tf.trainable_variables("eval_net"))',
        ),
        ('name="t1"', 'name="t1", trainable=False'),
        ("zip(t_params, e_params)", "zip(e_params, t_params)"),
    ],
)
def test_a_list_that_ends_before_its_slots_migrates(old: str, new: str) -> None:
    assert not find_refusals(COPIES.replace(old, new))


@pytest.mark.parametrize("block", ["with tf.control_dependencies([train]):", "if 1:"])
def test_a_list_in_a_block_is_of_the_variables_by_then(block: str) -> None:
    done = migrate_text(
        "import tensorflow as tf\n"
        "w = tf.Variable(2.0)\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w))\n"
        f"{block}\n"
        "    size = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])\n"
        "later = tf.Variable(1.0)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    for _ in range(3):\n"
        "        print(sess.run(size), sess.run(later))\n"
    )
    assert all(f.outcome is not Outcome.REFUSED for f in done.findings)
    before, listed, after = done.text.partition("variables_by_then = ")
    assert listed and "w = tf.Variable" in before and "later = tf.Variable" in after


def test_lists_that_are_paired_have_one_order() -> None:
    use = (
        "values = sess.run(tf.trainable_variables())\n"
        "    pairs = {v.name: n for v, n in zip(tf.trainable_variables(), values)}\n"
        "    print(values, pairs['b:0'])\n"
    )
    known = migrate_text(f"{START}{MIXED}{TRAIN}    {use}").text
    assert known.count(WRITTEN_OUT) == 2
    unknown = migrate_text(f"{START}{LOOPED}{TRAIN}    {use}").text
    assert "*dense" not in unknown
