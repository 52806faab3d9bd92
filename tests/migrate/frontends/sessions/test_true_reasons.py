"""A refusal says what the code really is, and not what only follows from it."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.facts.scopes import build_scopes
from migrate.findings import Finding
from migrate.frontends.sessions.between_graph import find_sessions
from migrate.frontends.sessions.in_turn import explain_overlap
from migrate.source.nodes import parse_source

CLASS = """\
import tensorflow as tf
import numpy as np


class Model(object):
    def __init__(self, rate=0.1):
        self.sess = tf.Session()
        self.rate = rate
        self.build()
        self.sess.run(tf.global_variables_initializer())

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [2, 1])
        loss = tf.square(tf.matmul(self.x, w) - self.y)
        self.loss = tf.reduce_mean(loss, name="loss")
        accuracy = tf.reduce_mean(tf.abs(loss), name="accuracy")
        self.train_op = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)

    def fit(self, xs, ys):
        for i in range(10):
            _, loss = self.sess.run(
                [self.train_op, self.loss], feed_dict={self.x: xs, self.y: ys}
            )
            print(loss)

    def score(self, xs, ys):
        return self.sess.run(self.loss, feed_dict={self.x: xs, self.y: ys})


if __name__ == "__main__":
    m = Model()
    m.fit(np.ones([4, 2], np.float32), np.ones([4, 1], np.float32))
    print(m.score(np.ones([4, 2], np.float32), np.ones([4, 1], np.float32)))
"""
FLAT = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [])
best = tf.Variable(100.0, trainable=False)


def up():
    return tf.assign(best, x)


def keep():
    return best + 0.0


{more}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(update, feed_dict={{x: 1.0}}))
"""


def refused(text: str) -> list[Finding]:
    found = migrate_text(text).findings
    return [f for f in found if f.blocks and f.code != "N100"]


def test_the_class_can_be_migrated() -> None:
    assert not refused(CLASS)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"w", [2, 1]', '"w", [2, 1], custom_getter=np.abs', "V103"),
        (
            "        self.rate = rate\n",
            "        self.rate = rate\n        print(self.sess.list_devices())\n",
            "S185",
        ),
        ("self.sess.run(self.loss,", 'self.sess.run("other:0",', "S109"),
    ],
)
def test_a_session_of_an_object_hides_no_other_reason(
    old: str, new: str, code: str
) -> None:
    assert [f.code for f in refused(CLASS.replace(old, new))] == [code]


def test_objects_of_the_class_are_counted() -> None:
    library = CLASS.partition("if __name__")[0]
    (none,) = refused(library)
    assert none.code == "S101" and "makes no object of the class `Model`" in none.reason
    (two,) = refused(CLASS.replace("m = Model()", "n = Model(0.2)\n    m = Model()"))
    assert two.code == "S101" and "at 2 places" in two.reason


EARLY = """
        if self.rate > 1.0:
            return self.sess.run(self.loss, feed_dict={self.x: xs, self.y: ys})
        return 0.0
"""
ONCE = EARLY.replace("        return 0.0", "        else:\n            return 0.0")
IN_LOOP = EARLY.replace("if self.rate > 1.0:", "while self.rate > 1.0:")


def test_a_method_that_returns_early_is_named() -> None:
    score = CLASS[
        CLASS.index("        return self.sess") : CLASS.index("\n\nif __name__")
    ]
    (found,) = refused(CLASS.replace(score, IN_LOOP[1:]))
    assert found.code == "S101"
    assert "`score` runs the session" in found.reason
    for end in (EARLY, ONCE):
        assert not refused(CLASS.replace(score, end[1:]))


@pytest.mark.parametrize(
    "fetch",
    [
        'self.sess.run("accuracy:0",',
        'self.sess.run(tf.get_default_graph().get_tensor_by_name("accuracy:0"),',
    ],
)
def test_a_tensor_of_a_builder_is_fetched_by_its_name(fetch: str) -> None:
    done = migrate_text(CLASS.replace("self.sess.run(self.loss,", fetch))
    assert not [f for f in done.findings if f.blocks]
    assert 'name="accuracy"' in done.text


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ('"top/accuracy:0"', "`tf.reduce_mean(...)` seems to make it"),
        ('"nothing:0"', "no call in this file has `name='nothing'`"),
        (
            'tf.get_default_graph().get_operation_by_name("accuracy").outputs[0]',
            "`tf.reduce_mean(...)` seems to make it",
        ),
    ],
)
def test_a_name_that_is_not_followed_is_told(asked: str, reason: str) -> None:
    text = CLASS.replace("self.sess.run(self.loss,", f"self.sess.run({asked},")
    text = text.replace(
        "        accuracy = tf",
        '        with tf.name_scope("top"):\n          accuracy = tf',
    )
    (found,) = refused(text)
    assert found.code == "S109" and reason in found.reason


ONE_BRANCH = "update = tf.cond(x < best, {}, {})"


@pytest.mark.parametrize(
    "branches",
    [
        ("lambda: tf.assign(best, x)", "lambda: best"),
        ("lambda: tf.assign(best, x)", "lambda: tf.identity(best)"),
        ("lambda: best + 0.0", "lambda: tf.assign(best, x)"),
        ("up", "keep"),
    ],
)
def test_a_read_in_one_branch_is_not_after_an_assignment_in_another(
    branches: tuple[str, str],
) -> None:
    assert not refused(FLAT.format(more=ONE_BRANCH.format(*branches)))


@pytest.mark.parametrize("branches", [("up", "keep"), ("lambda: up()", "lambda: best")])
def test_a_read_in_a_branch_after_an_assignment_is_told(
    branches: tuple[str, str],
) -> None:
    inner = ONE_BRANCH.format(*branches).replace("x < best", "x < 5.0")
    more = (
        "first = tf.assign(best, x * 3.0)\n"
        f"with tf.control_dependencies([first]):\n    {inner}"
    )
    assert "S136" in {f.code for f in refused(FLAT.format(more=more))}


LISTED = """\
import tensorflow as tf

w = tf.Variable([1.0, 2.0])
held = []
for i in range(2):
    x = tf.placeholder(tf.float32, [])
    held.append(x)
y = w * held[0] + held[1]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = dict(zip(held, [1.0, 2.0]))
    print(sess.run(y, feed_dict=feed))
"""


def test_a_list_of_placeholders_is_no_list_of_tensors() -> None:
    reasons = [f.reason for f in refused(LISTED) if f.code == "S112"]
    assert reasons and all("`held` contains placeholders" in r for r in reasons)


FROZEN = """\
import tensorflow as tf

with open("net.pb", "rb") as f:
    definition = tf.GraphDef.FromString(f.read())
tf.import_graph_def(definition, name="")
with tf.Session() as sess:
    pool = sess.graph.get_tensor_by_name("pool:0")
    print(sess.run(pool, {"image:0": [[1.0]]}))
"""


def test_what_follows_from_a_loaded_graph_is_not_told() -> None:
    (found,) = refused(FROZEN)
    assert found.code == "S109" and "tf.import_graph_def" in found.reason


@pytest.mark.parametrize(
    ("symbol", "code"),
    [
        ("crf.crf_decode", "T111"),
        ("seq2seq.BasicDecoder", "T111"),
        ("seq2seq.sequence_loss", ""),
        ("opt.AdamWOptimizer", ""),
    ],
)
def test_a_symbol_without_an_equal_is_told_beside_another_reason(
    symbol: str, code: str
) -> None:
    text = FLAT.format(
        more=f"update = up()\nprint(tf.contrib.{symbol}(best, w=keep()))"
    )
    text = text.replace("with tf.Session()", "with tf.Session(target=host)")
    found = [(f.code, f.line) for f in refused(text) if f.line == 15]
    assert found == ([(code, 15)] if code else [])


HELPER = """\
import tensorflow as tf


def find(names):
    for name in names:
        if name == "net":
            break
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES{scope})


x = tf.placeholder(tf.float32, [])
with tf.variable_scope("net"):
    w = tf.get_variable("w", [])
loss = tf.square(w * x)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=find(["net"]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, feed_dict={{x: 1.0}})
"""


@pytest.mark.parametrize(
    ("scope", "asked"),
    [("", "all trainable variables"), (', "net"', "trainable variables of a scope")],
)
def test_a_helper_asks_for_what_it_asks_for(scope: str, asked: str) -> None:
    (found,) = refused(HELPER.format(scope=scope))
    assert found.code == "N105" and found.reason.endswith(asked)


TRIED = """\
import numpy as np
import tensorflow as tf


def main():
    try:
        x = tf.placeholder(tf.float32, [None, 4])
        w = tf.get_variable("w", [4, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train_op, {x: np.ones([2, 4])})
    except KeyboardInterrupt:
        print("stopped")


main()
"""


def test_a_graph_in_a_try_is_no_loop() -> None:
    (found,) = refused(TRIED)
    assert found.code == "S105" and found.reason.startswith("a `try` makes")
    graph, session = TRIED.split("        with tf.Session")
    graph = graph.replace("    try:\n", "").replace("        ", "    ")
    assert not refused(f"{graph}    try:\n        with tf.Session{session}")
    # A graph of its own within the `try` can be migrated.
    graph, rest = TRIED.split("    try:\n")
    body, handler = rest.split("    except")
    body = "".join(f"    {line}\n" for line in body.splitlines())
    assert not refused(
        f"{graph}    try:\n        with tf.Graph().as_default():\n{body}    except{handler}"
    )


PARTS = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3, 4])
parts = tf.unstack(x, num=3, axis=1)
total = tf.zeros([2, 4])
for i, part in enumerate(parts):
    w = tf.get_variable("w%d" % i, [4])
    total = total + part * w * i
loss = tf.reduce_mean(tf.square(total))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: np.ones([2, 3, 4])})
"""


def test_a_loop_over_tensors_that_makes_variables_is_named() -> None:
    (found,) = refused(PARTS)
    assert (found.code, found.line) == ("N104", 7)
    assert "this loop goes over `parts`" in found.reason
    made = '    w = tf.get_variable("w%d" % i, [4])\n'
    followed = PARTS.replace(made, "").replace("* w *", "* ws[i] *")
    listed = 'ws = [tf.get_variable("w%d" % i, [4]) for i in range(3)]\nfor i, part'
    assert not refused(followed.replace("for i, part", listed))


BUILDER = """\
import numpy as np
import tensorflow as tf


def build(sizes=[8, 6, 4]):
    x = tf.placeholder(tf.float32, [None, sizes[0]])
    layers = [x]
    for size in sizes[1:]:
        before = int(layers[-1].get_shape()[1])
        w = tf.Variable(tf.random_uniform([before, size], -1.0, 1.0))
        layers.append(tf.nn.tanh(tf.matmul(layers[-1], w)))
    current = layers[-1]
    cost = tf.reduce_sum(tf.square(current))
    return {"x": x, "cost": cost}


net = build()
train_op = tf.train.AdamOptimizer(0.01).minimize(net["cost"])
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for _ in range(3):
    sess.run(train_op, feed_dict={net["x"]: np.ones([2, 8])})
    print(sess.run(net["cost"], feed_dict={net["x"]: np.ones([2, 8])}))
"""


def test_a_function_that_builds_the_graph_hides_no_reason() -> None:
    """Of `net["x"]` nothing is wrong: the function cannot be brought to the session."""
    (found,) = refused(BUILDER)
    assert (found.code, found.line) == ("N104", 10)
    assert "depends on a tensor" in found.reason
    followed = BUILDER.replace(
        "for size in sizes[1:]", "for before, size in zip(sizes[:-1], sizes[1:])"
    ).replace("        before = int(layers[-1].get_shape()[1])\n", "")
    assert not refused(followed)


KEPT = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
{net}
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run([train_op, loss], {{{key}: np.ones([2, 4])}})[1])
"""


@pytest.mark.parametrize(
    ("net", "key"),
    [
        ('net = {"x": x, "loss": loss}', 'net["x"]'),
        ("net = [x, loss]", "net[0]"),
        ("net = (loss, x)", "net[-1]"),
    ],
)
def test_a_placeholder_is_fed_from_what_holds_it(net: str, key: str) -> None:
    done = migrate_text(KEPT.format(net=net, key=key))
    assert not [f for f in done.findings if f.blocks]
    assert "def train_step(x):" in done.text and "net" not in done.text
    changed = f"{net}\nif np.ones(1) > 2:\n    net = [loss, loss, loss]"
    assert refused(KEPT.format(net=changed, key=key))


LETTERS = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import legacy_seq2seq, rnn

letters = tf.placeholder(tf.int32, [2, 3])
following = tf.placeholder(tf.int32, [2, 3])
cell = rnn.MultiRNNCell([rnn.BasicLSTMCell(4) for _ in range(2)])
state = cell.zero_state(2, tf.float32)
embedding = tf.get_variable("embedding", [10, 4])
inputs = tf.unstack(tf.nn.embedding_lookup(embedding, letters), axis=1)
outputs, last = legacy_seq2seq.rnn_decoder(inputs, state, cell)
logits = [tf.matmul(output, tf.transpose(embedding)) for output in outputs]
cost = legacy_seq2seq.sequence_loss(logits, tf.unstack(following, axis=1), [tf.ones([2])] * 3)
train_op = tf.train.AdamOptimizer(0.01).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    now = sess.run(state)
    for step in range(3):
        batch = np.ones([2, 3], np.int32)
        feed = {letters: batch, following: batch}
        for i, (c, h) in enumerate(state):
            feed[c] = now[i].c
            feed[h] = now[i].h
        _, value, now = sess.run([train_op, cost, last], feed)
        print(value)
"""


def test_a_state_that_is_fed_and_a_decoder_have_recipes_that_help() -> None:
    found = {f.code: f for f in refused(LETTERS) if f.line in (11, 21)}
    assert "tf.nn.static_rnn" in found["T111"].recipe
    assert found["S112"].reason.startswith("the loop feeds the parts of `state`")
    assert "a placeholder for each part" in found["S112"].recipe
    parts = ("c_0", "h_0", "c_1", "h_1")
    made = "".join(f"{p} = tf.placeholder(tf.float32, [2, 4])\n" for p in parts)
    built = "state = (rnn.LSTMStateTuple(c_0, h_0), rnn.LSTMStateTuple(c_1, h_1))\n"
    fed = ", ".join(f"{p}: now[{p[-1]}][{int(p[0] == 'h')}]" for p in parts)
    followed = LETTERS.replace(
        "legacy_seq2seq.rnn_decoder(inputs, state, cell)",
        "tf.nn.static_rnn(cell, inputs, initial_state=state)",
    )
    followed = followed.replace(
        "state = cell.zero_state(2, tf.float32)\n", made + built
    )
    followed = followed.replace(
        "now = sess.run(state)\n",
        "now = [(np.zeros([2, 4]), np.zeros([2, 4]))] * 2\n",
    )
    loop = followed[followed.index("        for i, (c, h)") :]
    loop = loop[: loop.index("        _, value")]
    followed = followed.replace(loop, "")
    followed = followed.replace("following: batch}", f"following: batch, {fed}}}")
    assert not refused(followed)


@pytest.mark.parametrize("session", ["tf.Session()", "tf.Session(graph=tf.Graph())"])
def test_a_session_that_loads_a_model(session: str) -> None:
    """The reason spoke of a variable's initial value, and the recipe of tf.assign."""
    found = refused(
        f"import tensorflow as tf\nwith {session} as sess:\n"
        '    tf.saved_model.loader.load(sess, ["serve"], "model")\n'
        '    print(sess.run("scores:0", {"x:0": [[1.0, 2.0]]}))\n'
    )
    [loads] = [f for f in found if f.code == "S185"]
    assert "`tf.saved_model.loader.load` loads a graph" in loads.reason
    assert "--fallback compat" in loads.recipe


IN_A_HELPER = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])


def make_update(loss):
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss)


loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1)))
train_op = make_update(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    START
    for i in range(3):
        sess.run(train_op, {x: [[1.0, 2.0]]})
"""


def test_a_helper_is_no_reason_if_its_code_can_be_moved() -> None:
    """The reason spoke of the helper, which the tool writes where it is called."""
    assert not refused(IN_A_HELPER.replace("START", "pass"))
    starts = "threads = tf.train.start_queue_runners(sess=sess)"
    found = refused(IN_A_HELPER.replace("START", starts))
    assert {f.code for f in found} == {"I120"}


SEVERAL = """\
import tensorflow as tf

v = tf.Variable(1.0)


def show():
    with tf.Session() as other:
        other.run(tf.global_variables_initializer())
        print(other.run(v))


FIRST
    sess.run(tf.global_variables_initializer())
    print(sess.run(v))
SECOND
"""
OPENS = "with tf.Session() as sess:"
AGAIN = "with tf.Session() as again:"
RUNS = "    again.run(tf.global_variables_initializer())\n    print(again.run(v))"


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (OPENS, "show()", "is in another function than the first session"),
        (OPENS, f"    {AGAIN}\n    {RUNS}", "is inside the block of another session"),
        (OPENS, f"again = tf.Session()\nprint({AGAIN[5:17]}.run(v))", "is no block"),
        (
            OPENS,
            f"x = tf.placeholder(tf.float32)\n{AGAIN}\n{RUNS}",
            "the graph goes on after the first session: `tf.placeholder`",
        ),
        (
            "with tf.train.MonitoredTrainingSession() as sess:",
            f"{AGAIN}\n{RUNS}",
            "opens another kind of session than tf.Session()",
        ),
        (
            'with tf.Session("grpc://a:1") as sess:',
            f"{AGAIN}\n{RUNS}",
            "opens a session on a server",
        ),
    ],
)
def test_why_several_sessions_are_not_read(
    first: str, second: str, reason: str
) -> None:
    text = SEVERAL.replace("FIRST", first).replace("SECOND", second)
    if "show()" not in second:
        text = text.replace(text[text.index("def show") : text.index("with", 140)], "")
    scopes = build_scopes(parse_source(text))
    sessions = sorted(find_sessions(scopes), key=lambda call: call.lineno)
    overlap = explain_overlap(scopes, sessions)
    assert overlap is not None
    assert reason in overlap


def test_numpy_has_no_graph_to_migrate() -> None:
    text = """\
import numpy as np
import tensorflow as tf
sess = tf.InteractiveSession()
x = np.ones((2, 3), np.float32)
made = tf.layers.dense(x, 2)
sess.run(tf.global_variables_initializer())
print(made.eval())
made = tf.layers.dense(x, 3)
sess.run(tf.global_variables_initializer())
print(made.eval())
made = np.matmul(x, np.ones((3, 2)))
print(made)
"""
    found = refused(text)
    assert found and not [f for f in found if "of its module" in f.reason]
