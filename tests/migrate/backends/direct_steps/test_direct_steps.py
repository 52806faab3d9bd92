"""Steps of one process are called directly, where that is known to compute the same.

`tests/migrate/frontends/sessions/test_alone.py` runs such programs, and compares them with
TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

from migrate.backends.direct_steps import call_directly
from migrate.compiler import migrate_text
from migrate.migration import Migration
from reference import processes

PROGRAM = '''\
"""Trains."""
import numpy as np
import tensorflow as tf

rate = 0.1
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        _, value = sess.run([train, loss], {x: np.ones([2, 3])})
        print(value)
    # What is left.
    print(sess.run([loss, tf.reduce_sum(x)], {x: np.ones([2, 3])}))
'''
DIRECT = '''\
"""Trains."""
import numpy as np
import tensorflow as tf

rate = 0.1
w = tf.Variable(tf.ones([3, 1]))
optimizer = tf.compat.v1.train.GradientDescentOptimizer(rate)


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    variables = tape.watched_variables()
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))
    return loss


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def compute_loss(x):
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    return [loss, tf.reduce_sum(x)]


for i in range(3):
    value = train_step(np.ones([2, 3])).numpy()
    print(value)
# What is left.
print([value.numpy() for value in compute_loss(np.ones([2, 3]))])
'''


def _migrated(text: str) -> str:
    migration = migrate_text(text)
    assert migration.text != text
    assert ("plain_session" in migration.text) == bool(migration.support)
    return migration.text


def test_the_whole_program() -> None:
    assert _migrated(PROGRAM) == DIRECT
    assert migrate_text(DIRECT).text == DIRECT


SPELLINGS = {
    "a session of a name": (
        "with tf.Session() as sess:\n",
        "sess = tf.Session()\nif True:\n",
    ),
    "an interactive session": (
        "with tf.Session() as sess:\n",
        "sess = tf.InteractiveSession()\nif True:\n",
    ),
    "a session with options": (
        "tf.Session()",
        "tf.Session(config=tf.ConfigProto(allow_soft_placement=True))",
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_however_the_session_is_opened(name: str) -> None:
    text = _migrated(PROGRAM.replace(*SPELLINGS[name]))
    assert "value = train_step(np.ones([2, 3])).numpy()" in text
    assert "sess" not in text and "strategy" not in text


def test_a_function_loses_the_session_among_its_parameters() -> None:
    inside = """\
    for i in range(3):
        _, value = sess.run([train, loss], {x: np.ones([2, 3])})
        print(value)
"""
    text = PROGRAM.replace(inside, "    run_epoch(sess, 3, scale=2.0)\n").replace(
        "rate = 0.1\n",
        """rate = 0.1


def run_epoch(session, count, scale=1.0):
    for i in range(count):
        print(scale * session.run([train, loss], {x: np.ones([2, 3])})[1])

""",
    )
    text = _migrated(text)
    assert "def run_epoch(count, scale=1.0):" in text
    assert "print(scale * train_step(np.ones([2, 3])).numpy())" in text
    assert "run_epoch(3, scale=2.0)" in text


# What a step reads or does that would be otherwise if it were traced later, and what a
# session does that a function does not: in each of these the session stays.
STAYS: dict[str, tuple[str, ...]] = {
    "a wrong shape is caught": (
        "    # What is left.\n",
        "    try:\n        sess.run(loss, {x: np.ones([2, 4])})\n"
        "    except ValueError:\n        print('wrong')\n",
    ),
    "building writes the log": (
        "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n",
        "def net(v):\n    tf.logging.info('built')\n    return tf.matmul(v, w)\n\n\n"
        "loss = tf.reduce_mean(tf.square(net(x)))\n",
    ),
    "a function that may return nothing": (
        "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n",
        "def net(v):\n    if rate > 1:\n        return tf.square(tf.matmul(v, w))\n\n\n"
        "loss = net(x)\n",
        "train = tf.train.GradientDescentOptimizer(rate).minimize(loss)\n",
        "train = tf.train.GradientDescentOptimizer(rate).minimize(tf.square(w))\n",
    ),
    "building prints": (
        "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n",
        "def net(v):\n    print('built')\n    return tf.matmul(v, w)\n\n\n"
        "loss = tf.reduce_mean(tf.square(net(x)))\n",
    ),
    "an initializer is drawn with a seed that is not known": (
        "tf.ones([3, 1])",
        "tf.random_normal([3, 1], seed=len(str(rate)))",
    ),
    "a variable is asked for its name": ("print(value)", "print(value, w.name)"),
    "the session is used otherwise": (
        "    # What is left.\n",
        "    sessions = [sess]\n",
    ),
    "a float is fed to an integer": (
        "x = tf.placeholder(tf.float32, [None, 3])\n",
        "x = tf.placeholder(tf.float32, [None, 3])\nn = tf.placeholder(tf.int32, [])\n",
        "tf.square(tf.matmul(x, w)))",
        "tf.square(tf.matmul(x, w))) * tf.to_float(n)",
        "{x: np.ones([2, 3])}",
        "{x: np.ones([2, 3]), n: 6 / 2}",
    ),
    "an int is fed to a boolean": (
        "x = tf.placeholder(tf.float32, [None, 3])\n",
        "x = tf.placeholder(tf.float32, [None, 3])\nn = tf.placeholder(tf.bool, [])\n",
        "tf.square(tf.matmul(x, w)))",
        "tf.square(tf.matmul(x, w))) * tf.to_float(n)",
        "{x: np.ones([2, 3])}",
        "{x: np.ones([2, 3]), n: 1 if rate else 0}",
    ),
    "a float is fed to an integer of a quoted type": (
        "x = tf.placeholder(tf.float32, [None, 3])\n",
        "x = tf.placeholder(tf.float32, [None, 3])\nn = tf.placeholder('int32', [])\n",
        "tf.square(tf.matmul(x, w)))",
        "tf.square(tf.matmul(x, w))) * tf.to_float(n)",
        "{x: np.ones([2, 3])}",
        "{x: np.ones([2, 3]), n: 3.0}",
    ),
    "a structure that is not known": (
        "sess.run([loss, tf.reduce_sum(x)]",
        "sess.run(tf.unique(tf.reshape(x, [-1]))",
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_a_session_stays(name: str) -> None:
    text = PROGRAM
    for old, new in zip(STAYS[name][::2], STAYS[name][1::2]):
        assert old in text
        text = text.replace(old, new)
    assert "@tf.function" not in migrate_text(text).text
    # For nothing else.
    for fed, taken in (
        ("n: 6 / 2", "n: 6 // 2"),
        ("n: 1 if rate else 0", "n: rate > 0"),
    ):
        if fed in text:
            assert "@tf.function" in migrate_text(text.replace(fed, taken)).text


CLIPPED = (
    PROGRAM.replace(
        "with tf.Session()",
        "clip = [v.assign(tf.clip_by_value(v, -0.5, 0.5)) for v in [w]]\nwith tf.Session()",
    )
    .replace("_, value = sess.run([train, loss]", "value, _ = sess.run([loss, clip]")
    .replace(
        "sess.run([loss, tf.reduce_sum(x)], {x: np.ones([2, 3])})",
        "sess.run([train, loss], {x: np.ones([2, 3])})[1]",
    )
)


def test_what_no_run_reads_is_no_result() -> None:
    text = _migrated(CLIPPED)
    assert "value = compute_loss_and_clip(np.ones([2, 3])).numpy()" in text
    assert "clip = [v.assign(" in text
    alone = CLIPPED.replace("print(value)", "sess.run(clip)")
    assert "    compute_clip()\n" in _migrated(alone)
    read = CLIPPED.replace("value, _ =", "value, clipped =")
    assert "@tf.function" in _migrated(read)
    assert "plain_session" in _migrated(read.replace("print(value)", "print(clipped)"))


def test_a_writer_without_a_name() -> None:
    text = _migrated(
        PROGRAM.replace(
            "    for i", "    tf.summary.FileWriter('log', sess.graph)\n    for i"
        )
    )
    assert "plain_session" not in text
    assert "    tf.compat.v1.summary.FileWriter('log')\n" in text


def test_python_branches_are_taken_when_the_graph_is_built() -> None:
    """AutoGraph would make an operation of them: they are the program's own."""
    text = PROGRAM.replace(
        "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n",
        "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n"
        "loss = loss * sum([2.0 for _ in range(3)])\n",
    )
    assert "autograph=False" in _migrated(text)
    assert "autograph" not in DIRECT


def test_a_number_is_bound_in_the_step_before_it_is_read() -> None:
    """The loss that is minimised reads it, under the tape."""
    text = _migrated(
        PROGRAM.replace("minimize(loss)\n", "minimize(loss * rate)\nrate = 0.2\n")
    )
    step = text[text.index("def train_step") :]
    assert step.index("rate = 0.1\n") < step.index("loss * rate")


def test_the_page_shows_what_is_written() -> None:
    """The programs of docs/beside.md, from TensorFlow 1."""
    page = pathlib.Path(__file__).parents[4] / "docs" / "beside.md"
    directly, *_ = page.read_text().partition("## When a session stays")
    shown = re.findall(r"^```python\n(.*?)^```", directly, re.M | re.S)
    program = """\
import tensorflow as tf
from data import batches
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for batch in batches:
        _, value = sess.run([train, loss], {x: batch})
        print(value)
"""
    summarised = """\
import tensorflow as tf
from data import batch, step
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1))
tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("logs")
    writer.add_summary(sess.run(merged, {x: batch}), step)
"""
    saved = """\
import tensorflow as tf
from data import batches
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
b = tf.Variable(0.0)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = tf.train.latest_checkpoint("model")
    if path:
        saver.restore(sess, path)
    for batch in batches:
        sess.run(train, {x: batch})
    saver.save(sess, "model/model.ckpt")
"""
    folds = """\
import tensorflow as tf
from data import batches
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
b = tf.Variable(0.0)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    for fold in range(3):
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            sess.run(train, {x: batch})
"""
    for text, part in zip((program, summarised, saved, folds), shown, strict=True):
        assert _migrated(text).endswith(part)


def test_the_report_says_what_becomes_of_the_session() -> None:
    for text, reason in (
        (PROGRAM, "dropped: the program calls its steps, which are functions"),
        (
            PROGRAM.replace("print(value)", "print(w.name)"),
            "plain_session.Session, which runs step functions",
        ),
    ):
        (found,) = [f for f in migrate_text(text).findings if f.code == "S115"]
        assert found.symbol == "tf.Session" and found.reason == reason


def test_comments_above_a_graph_stay() -> None:
    """Also those of a statement that is dropped; a notebook's cells begin with one."""
    begun = PROGRAM.replace(
        "x = tf", "# A graph.\ntf.reset_default_graph()\n\nx = tf", 1
    )
    text = migrate_text(begun).text
    assert "\nrate = 0.1\n\n# A graph.\nw = tf.Variable" in text
    assert "LocalReplicas" not in text


def test_nothing_is_left_of_an_empty_block() -> None:
    text = "import tensorflow as tf\nwith tf.Session() as sess:\n"
    text += "    sess.run(tf.global_variables_initializer())\n"
    assert _migrated(text) == "import tensorflow as tf\n"


# The steps of the emitted program, of which the norm of all trainable variables is asked:
# a tape has watched those alone that the loss depends on.
ALL = """\
import tensorflow as tf
import plain_session
strategy = tf.distribute.get_strategy()
replicas = plain_session.LocalReplicas(strategy)
with strategy.scope(), replicas.recording():
    w = tf.Variable([1.0])
    unused = tf.Variable([2.0])
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)

    @replicas.step_function()
    def train_step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w)
        variables = replicas.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        NORM
        return loss
with plain_session.Session(replicas) as sess:
    print(sess.run(train_step))
"""


@pytest.mark.parametrize(
    ("norm", "given"),
    [
        ("pass", "tape.watched_variables()"),
        ("loss = loss + tf.add_n([tf.norm(v) for v in variables])", "[w, unused]"),
        (
            "loss = loss + tf.add_n([tf.norm(g) for g in gradients])",
            "tape.watched_variables()",
        ),
        ("loss = loss + len(variables)", "[w, unused]"),
        ("loss = loss + tf.norm([g for g in gradients][0])", "[w, unused]"),
        ("made = [g for g in gradients]; loss = loss + made[0]", "[w, unused]"),
        ("[v.assign(g) for v, g in zip([w], gradients)]", "[w, unused]"),
    ],
)
def test_all_variables_are_not_those_that_a_tape_has_watched(
    norm: str, given: str
) -> None:
    text = ALL.replace("NORM", norm)
    done = call_directly(text, Migration(text, (), ("plain_session.py",)), "program.py")
    assert "plain_session" not in done.text
    assert f"    variables = {given}\n" in done.text


SUMMARIES = PROGRAM.replace(
    "with tf.Session() as sess:\n",
    """shown = tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    writer = tf.summary.FileWriter("logs", sess.graph)
""",
).replace(
    "    # What is left.\n",
    "    writer.add_summary(sess.run(merged, {x: np.ones([2, 3])}), 3)\n",
)


def test_summaries_and_their_writer() -> None:
    text = _migrated(SUMMARIES)
    assert "training_session" not in text
    assert "with tf.Graph().as_default():\n    writer = tf.compat.v1.summary." in text
    assert "writer.add_summary(compute_merged(np.ones([2, 3])).numpy(), 3)" in text
    # The step that trains gives none, and makes none.
    train = text[text.index("def train_step") : text.index("def compute_merged")]
    assert "summary" not in train


@pytest.mark.parametrize(
    "use",
    [
        "writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 0)",
        "writers = [tf.summary.FileWriter(d) for d in ('a', 'b')]",
    ],
)
def test_a_session_stays_where_a_writer_is_another(use: str) -> None:
    text = SUMMARIES.replace(
        "    writer.add_summary", f"    {use}\n    writer.add_summary"
    )
    assert "plain_session" in migrate_text(text).text


def test_nothing_is_kept_for_sessions_without_variables() -> None:
    text = _migrated(
        """\
import tensorflow as tf

a = tf.constant(2)
with tf.Session() as sess:
    print(sess.run(a * 3))
with tf.Session() as sess:
    print(sess.run(a * 4))
"""
    )
    assert "plain_session" not in text


ASSIGNED = """\
import tensorflow as tf

w = tf.Variable([1.0])
x = tf.placeholder(tf.float32, [1])
update = UPDATE
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([update, w], {x: [2.0]}))
"""


@pytest.mark.parametrize(
    ("update", "shown"),
    [
        ("w.assign(w - x)", "w.assign(w - x)"),
        ("tf.assign_add(w, x)", "tf.compat.v1.assign_add(w, x)"),
    ],
)
def test_what_an_assignment_gives_is_read(update: str, shown: str) -> None:
    text = _migrated(ASSIGNED.replace("UPDATE", update))
    assert f"    update = {shown}\n" in text
    assert "    return [tf.identity(update), tf.identity(w)]\n" in text
    assert "print([value.numpy() for value in compute_update_and_w([2.0])])" in text


def test_two_optimizers_of_one_step() -> None:
    text = (
        PROGRAM.replace(
            "with tf.Session()",
            "other = tf.train.AdamOptimizer(rate).minimize(tf.square(loss))\n"
            "with tf.Session()",
        )
        .replace("[train, loss]", "[train, other, loss]")
        .replace("_, value", "_, _, value")
    )
    migrated = _migrated(text)
    assert "plain_session" not in migrated
    between = '    tf.compat.v1.get_default_graph().clear_collection("train_op")\n'
    assert migrated.count("apply_gradients") == 2 and migrated.count(between) == 1


def test_a_step_counter_is_a_variable_that_counts(tmp_path: pathlib.Path) -> None:
    """TF1 prints the same: each step's number after its update, and the losses."""
    text = PROGRAM.replace(
        "train = tf.train",
        "step = tf.train.get_or_create_global_step()\ntrain = tf.train",
    ).replace("minimize(loss)", "minimize(loss, step)")
    text = text.partition("    # What is left.")[0] + "    print(sess.run(step))\n"
    new = migrate_text(text).text
    assert "training_session" not in new and "plain_session" not in new
    program = tmp_path / "program.py"
    program.write_text(new)
    done = processes.run_program([sys.executable, program], timeout=120)
    *losses, step = done.stdout.split()[-4:]
    assert losses[0] == "9.0" and step == "3"
    assert float(losses[2]) < float(losses[1]) < 9.0
