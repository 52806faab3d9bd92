"""Plain sessions: what is refused, and what stands where it did. See test_alone.py too."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAMS = pathlib.Path(__file__).parents[3] / "programs" / "clustered"
PROGRAM = """
import numpy as np
import tensorflow as tf

seen = []
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
v = tf.Variable(1.0, name="v")
loss = tf.reduce_mean(tf.matmul(x, w)) * v
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for step in range(3):
        sess.run(train_op, {x: np.ones([1, 2])})
    # MORE
"""


def _migrated(more: str) -> tuple[str, dict[str, str]]:
    migration = migrate_text(PROGRAM.replace("# MORE", more))
    refused = {
        f.code: f.reason for f in migration.findings if f.outcome is Outcome.REFUSED
    }
    return migration.text, refused


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("sess.run(v.initializer)", "S122"),
        ("sess.run(tf.variables_initializer([v]))", "S122"),
        ("print(sess.graph.get_operations())", "S185"),
        ("evaluate(sess)", "S185"),
        ("sess.run([init, train_op], {x: np.ones([1, 2])})", "S104"),
        (
            "n = len(seen)\n    print(sess.run(w * n + loss, {x: np.ones([1, 2])}))",
            "S109",
        ),
        ("tf.train.start_queue_runners(sess=sess)", "I120"),
    ],
)
def test_what_has_no_counterpart_is_refused(more: str, code: str) -> None:
    text, refused = _migrated(more)
    assert code in refused, refused
    assert "plain_session" not in text


_BEGUN = (
    "data = tf.data.Dataset.from_tensors(1.0)\n"
    "it = data.make_initializable_iterator()\none = it.get_next()\nwith tf.Session"
)


@pytest.mark.parametrize(
    ("edits", "code", "reason", "recipe"),
    [
        (
            [("# MORE", "sess.run([tf.report_uninitialized_variables(), v])")],
            *("S104", "one run asks which variables have no value yet", "report_"),
        ),
        (
            [("# MORE", "sess.run([it.initializer, v])"), ("with tf.Session", _BEGUN)],
            *("S104", "one run begins an iterator", "the iterator's initializer"),
        ),
        (
            [("# MORE", "sess.run([init, v])")],
            *("S104", "one run initialises variables", "Initialise the variables"),
        ),
        (
            [("tf.Session()", 'tf.Session("grpc://a:1")')],
            *(
                "C101",
                "the session connects to `'grpc://a:1'`",
                "open the session without a target",
            ),
        ),
        (
            [
                (
                    "with tf.Session",
                    "s = tf.train.Server(c, 'w', 0)\n" * 2 + "with tf.Session",
                ),
                ("tf.Session()", "tf.Session(s.target)"),
            ],
            *(
                "C101",
                "the program starts several servers",
                "Start one tf.train.Server",
            ),
        ),
        (
            [("# MORE", "other = tf.Session()\n    print(other.run(v))")],
            *("N101", "beside the one that trains", "in the training session"),
        ),
        (
            [
                ("# MORE", "other = tf.Session()\n    print(other.run(v))"),
                (
                    "tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
                    "v.assign(v + 1)",
                ),
            ],
            *("N101", "the program opens several sessions", "in the other session"),
        ),
    ],
)
def test_a_reason_says_what_the_program_does(
    edits: list[tuple[str, str]], code: str, reason: str, recipe: str
) -> None:
    text = PROGRAM
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    found = [f for f in migrate_text(text).findings if f.code == code]
    assert [f for f in found if f.reason.startswith(reason) or reason in f.reason]
    assert [f for f in found if recipe in f.recipe], found


def test_a_method_that_uses_the_session_from_outside() -> None:
    text = PROGRAM.replace(
        "with tf.Session",
        "class Shown:\n    def show(self):\n        print(sess.run(v))\n\n\nwith tf.Session",
    )
    codes = {f.code for f in migrate_text(text).findings}
    assert "S185" in codes


def test_a_function_that_runs_the_session_stays_where_it_is() -> None:
    text = PROGRAM.replace(
        "with tf.Session",
        "def show(a):\n    feed = {x: a}\n    print(sess.run(loss, feed))\n\n\n"
        "with tf.Session",
    ).replace("# MORE", "show(np.ones([1, 2]))")
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "def show(a):\n    print(compute_loss(a).numpy())" in migration.text


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("def show(sess, loss):\n    return sess.run(loss, {x: one})", "(sess, v), 1"),
        ("def show(sess, x):\n    return sess.run(loss, {x: one})", "(sess, one), 1"),
    ],
)
def test_a_tensor_that_a_function_is_given_is_not_taken_for_the_modules(
    function: str, call: str
) -> None:
    text = PROGRAM.replace("# MORE", f"print(show{call})\n    print(show{call})")
    text = text.replace("with tf.", f"{function}\n\n\none = np.ones([1, 2])\nwith tf.")
    migration = migrate_text(text)
    refused = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert refused or "compute_loss" not in migration.text


def test_initial_values_again_are_those_that_were_kept() -> None:
    text, refused = _migrated("sess.run(init)")
    assert not refused
    assert "initial_values = [(variable, variable.numpy()) for" in text
    assert text.count("variable.assign(") == 1  # They begin with these values.


def test_a_builder_that_is_called_in_what_is_fetched_shares_what_it_made() -> None:
    text = PROGRAM.replace("# MORE", "print(sess.run(dense(x), {x: np.ones([1, 2])}))")
    text = text.replace(
        "loss = ",
        "def dense(x):\n"
        "    with tf.variable_scope('d', reuse=tf.AUTO_REUSE):\n"
        "        return tf.layers.dense(x, 1, name='a')\n\n\n"
        "h = x + dense(x)\nloss = ",
    ).replace("tf.matmul(x, w)", "tf.matmul(h, w)")
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert migration.text.count("tf_keras.layers.Dense(") == 1
    assert migration.text.count(" = dense()") == 1


@pytest.mark.parametrize(
    "clip",
    [
        "w.assign(tf.clip_by_value(w, -1.0, 1.0))",
        "[p.assign(tf.clip_by_value(p, -1.0, 1.0)) for p in [w]]",
        "[tf.assign(w, tf.clip_by_value(w, -1.0, 1.0))]",
    ],
)
def test_two_writes_in_one_run_keep_the_order_of_the_code(clip: str) -> None:
    text = PROGRAM.replace("init = ", f"clip = {clip}\ninit = ")
    text = text.replace("sess.run(train_op,", "sess.run([train_op, clip],")
    migrated = migrate_text(text).text
    assert "def train_step" in migrated
    assert migrated.index("apply_gradients") < migrated.index("clip_by_value")


def test_local_initialisers_leave_the_variables_alone() -> None:
    text, refused = _migrated("sess.run(tf.local_variables_initializer())")
    assert not refused
    assert "sess.initialize()" not in text.split("for step")[1]


def test_what_the_loop_changes_is_not_put_before_it() -> None:
    text, refused = _migrated(
        "seen.append(1.0)\n    print(sess.run(tf.reduce_sum(seen)))"
    )
    assert refused or text.index("seen.append") < text.index("reduce_sum")
    text, refused = _migrated(
        "seen.append(1.0)\n    total = tf.reduce_sum(seen)\n    print(sess.run(total))"
    )
    assert not refused
    assert text.index("seen.append") < text.index("reduce_sum")
    assert "print(total.numpy())" in text


def test_graph_made_in_the_block_is_a_step_of_its_own() -> None:
    text, refused = _migrated(
        "double = loss * tf.constant(2.0)\n"
        "    print(sess.run(double, {x: np.ones([1, 2])}))"
    )
    assert not refused
    assert "def compute_double(x):" in text


def test_a_list_of_operations_that_is_fetched() -> None:
    text, refused = _migrated(
        "ops = [tf.assign(w, w - tf.log(2.0)), tf.log(loss)]\n"
        "    print(sess.run(ops, {x: np.ones([1, 2])}))"
    )
    assert not refused
    assert "ops_1 = tf.math.log(loss)" in text
    assert "return [tf.identity(ops_0), ops_1]" in text


def test_a_feed_declared_in_a_block_of_what_the_steps_share() -> None:
    """It is a parameter of the shared part's callers, which does not hand it back."""
    net = "h = tf.layers.dense(x, 3)\n" + "".join(
        f"    h = tf.layers.dense(h, {n})\n" for n in (4, 5, 6, 2)
    )
    text = PROGRAM.replace(
        "loss = tf.reduce_mean(tf.matmul(x, w)) * v",
        f"with tf.variable_scope('net'):\n    y = tf.placeholder(tf.float32, [])\n    {net}"
        "loss = tf.reduce_mean(tf.matmul(h, w)) * v * y\ntwice = 2.0 * y * h",
    ).replace("{x: np.ones([1, 2])}", "{x: np.ones([1, 2]), y: 1.0}")
    text = text.replace("# MORE", "sess.run(twice, {x: np.ones([1, 2]), y: 2.0})")
    migrated = migrate_text(text)
    assert {f.outcome for f in migrated.findings} == {Outcome.REWRITTEN, Outcome.KEPT}
    assert "def forward(x):" in migrated.text
    assert "h = forward(x)" in migrated.text


def test_a_session_that_is_not_on_the_server() -> None:
    program = (PROGRAMS / "plain_server_session.py").read_text()
    assert program.count("tf.Session(server.target, config=config)") == 1
    text = program.replace("server.target, config=config", "")
    assert "C101" in {f.code for f in migrate_text(text).findings}


def test_a_name_of_a_comprehension_is_not_the_placeholder() -> None:
    text = PROGRAM.replace(
        "with tf.Session", "doubled = [x * 2 for x in range(3)]\n\nwith tf.Session"
    ).replace("# MORE", "print(doubled)")
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "doubled = [x * 2 for x in range(3)]" in migration.text


@pytest.mark.parametrize(
    "made",
    [
        "heads = [tf.layers.dense(x, 1) for _ in range(2)]",
        "heads = [tf.matmul(x, tf.Variable(tf.ones([2, 1]))) for _ in range(2)]",
    ],
)
def test_what_a_comprehension_makes_is_not_made_once(made: str) -> None:
    text = PROGRAM.replace("init =", f"{made}\ninit =")
    text = text.replace("# MORE", "print(sess.run(heads[1], {x: np.ones([1, 2])}))")
    assert "N104" in {f.code for f in migrate_text(text).findings}


TWO = """
import tensorflow as tf


def train(steps):
    # GRAPH
    w = tf.Variable(1.0)
    op = w.assign_add(sum(tf.ones([len(tf.trainable_variables())])))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(op)


def evaluate():
    # GRAPH
    v = tf.Variable(2.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(v * 2.0))


train(2)
evaluate()
"""


def test_functions_that_share_the_default_graph_are_not_taken_apart() -> None:
    assert "N101" in {f.code for f in migrate_text(TWO).findings}
    text = TWO.replace("    # GRAPH\n", "    tf.reset_default_graph()\n")
    assert "N101" not in {f.code for f in migrate_text(text).findings}


def test_numbers_drawn_between_sessions_are_drawn_in_their_order() -> None:
    made = (
        "print(np.random.rand())\nu = tf.Variable(np.random.rand())\n"
        "with tf.Session() as sess:\n    sess.run(u.initializer)\n"
    )
    migration = migrate_text(PROGRAM.replace("    # MORE\n", made))
    assert [f for f in migration.findings if f.outcome is Outcome.REFUSED]


def test_a_number_of_a_shape_that_the_loop_reads_is_there() -> None:
    shape = "k = int(x.get_shape()[1])\nhalf = k // 2\n"
    text = PROGRAM.replace("init = tf", f"{shape}init = tf")
    migration = migrate_text(text.replace("# MORE", "print(half)"))
    assert not migration.findings or not [
        f for f in migration.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert "half = k // 2\n" in migration.text
    assert "x_spec.shape[1]" in migration.text


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            "import nets\nscore = nets.score()",
            "`nets.score(...)` makes `score`, and the tool does not know the graph of its "
            "module `nets`",
        ),
        (
            "score = tf.get_default_graph().get_tensor_by_name('score:0')",
            "the run fetches the tensor `score:0` by its name, but no call in this file "
            "has `name='score'`",
        ),
        (
            "saver = tf.train.import_meta_graph('m.meta')\n"
            "score = tf.get_default_graph().get_operation_by_name('s').outputs[0]",
            "the run fetches `score` of the graph that `tf.train.import_meta_graph` "
            "loads. The tool migrates graphs that the program builds",
        ),
        (
            "score = 3",
            "the run fetches `score`, but no statement of this program's graph makes it",
        ),
    ],
)
def test_who_makes_what_is_fetched_is_the_reason(made: str, reason: str) -> None:
    text = PROGRAM.replace("init = ", f"{made}\ninit = ")
    text = text.replace("# MORE", "print(sess.run(score, {x: np.ones([1, 2])}))")
    refused = [
        f.reason for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    ]
    assert reason in refused


FED_APART = """\
import numpy as np
import tensorflow as tf
{made}
train = tf.train.GradientDescentOptimizer(0.1).minimize({loss})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {{{x}: np.ones([2, 2]), {y}: np.ones([2, 1])}})
    print(sess.run({out}, {{{x}: np.ones([2, 2])}}))
"""
FED = """\
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [2, 1])
"""
FED_IN_CLASS = """\
class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.out, self.loss = self.net(tf.get_variable("w", [2, 1]))
    def net(self, w):
        out = tf.matmul(self.x, w)
        return out, tf.reduce_mean(tf.square(out - self.y))
model = Model()
"""
OF_STATEMENT = {
    "def net(x, y):\n    out = tf.matmul(x, w)\n"
    "    if len(w.shape) > 5:\n        return y, y\n"
    "    return out, tf.reduce_mean(out - y)\nout, loss = net(x, y)\n": (
        "`out, loss = net(x, y)`"
    ),
    "t = {}\nout = tf.matmul(x, w)\nt['loss'] = loss = tf.reduce_mean(out - y)\n"
    "t['out'] = out\nout = t['out']\n": "reads it",
    "if len(w.shape) > 5:\n    k = tf.placeholder(tf.float32)\n    w = w * k\n"
    "out = tf.matmul(x, w)\nloss = tf.reduce_mean(out - y)\n": "under `if",
    "out = tf.matmul(x, w) + y\nloss = tf.reduce_mean(out)\n": (
        "the fetches need the placeholder `y`, but this call does not feed it"
    ),
}


@pytest.mark.parametrize("made", OF_STATEMENT)
def test_a_missing_feed_is_told_as_far_as_it_is_seen(made: str) -> None:
    names = {"x": "x", "y": "y", "loss": "loss", "out": "out"}
    found = migrate_text(FED_APART.format(made=FED + made, **names)).findings
    reasons = [f.reason for f in found if f.code == "S111"]
    assert reasons and OF_STATEMENT[made].replace("reads it", "read it") in reasons[0]


def test_a_tuple_of_tensors_needs_the_feeds_of_the_fetched_one() -> None:
    names = {n: f"model.{n}" for n in ("x", "y", "loss", "out")}
    text = FED_APART.format(made=FED_IN_CLASS, **names)
    found = migrate_text(text).findings
    assert not [f for f in found if f.outcome is Outcome.REFUSED]


IN_LOOP = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
class Net:
    def __init__(self, name):
        w = tf.get_variable(name, [2, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
{made}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {run}
"""
FEED = "{x: np.ones([2, 2])}"


def test_objects_that_a_loop_goes_through_are_told_with_what_helps() -> None:
    text = IN_LOOP.format(
        made='nets = [Net("a"), Net("b")]',
        run=f"for net in nets:\n        sess.run(net.train, {FEED})",
    )
    (found,) = [f for f in migrate_text(text).findings if f.code == "S109"]
    assert "each object of the loop `for net in nets`" in found.reason
    followed = IN_LOOP.format(
        made='first = Net("a")\nsecond = Net("b")',
        run=f"sess.run(first.train, {FEED})\n    sess.run(second.train, {FEED})",
    )
    found = migrate_text(followed).findings
    assert not [f for f in found if f.outcome is Outcome.REFUSED]


def test_a_feed_that_is_filled_is_told_with_what_helps() -> None:
    run = f"for i in range(2):\n        FEED\n        sess.run(net.train, {FEED})"
    text = IN_LOOP.format(made='net = Net("a")', run=run)
    put = "feed = {}\n        if i:\n            feed[x] = np.ones([2, 2])"
    filled = text.replace(FEED, "feed").replace("FEED", put)
    recipes = {f.recipe for f in migrate_text(filled).findings if f.code == "S112"}
    assert recipes == {
        "Write each feed as a whole dict, in each branch: feed = {x: value, ...}."
    }
    branches = (
        f"if i:\n            feed = {FEED}\n        else:\n"
        "            feed = {x: np.zeros([2, 2])}"
    )
    followed = text.replace(FEED, "feed").replace("FEED", branches)
    found = migrate_text(followed).findings
    assert not [f for f in found if f.outcome is Outcome.REFUSED]


SHAPE = PROGRAM.replace("seen = []\n", "sess = np.ones([2]).shape\nprint(sess[0])\n")


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (SHAPE, False),
        # It is the last round's session.
        (
            SHAPE.replace("print(sess[0])\n", "").replace(
                "with tf.Session() as sess:",
                "for k in range(2):\n  print(sess)\n  with tf.Session() as sess:",
            ),
            True,
        ),
        (
            SHAPE.replace("print(sess[0])", "def show(): print(sess)").replace(
                "    # MORE", "    show()"
            ),
            True,
        ),
    ],
)
def test_a_name_that_is_a_session_only_later(text: str, refused: bool) -> None:
    codes = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert ("S185" in codes) == refused


LOAD = "v.load(2.0, sess)"
# What the recipe says.
SET = "sess.run(set_value, {value: 2.0})"
MADE = "value = tf.placeholder(tf.float32, [])\nset_value = tf.assign(v, value)\n"


def test_what_load_does_is_said_and_its_recipe_migrates() -> None:
    _, refused = _migrated(LOAD)
    assert refused.pop("S185").startswith("`v.load` is a run call")
    text = PROGRAM.replace("init =", MADE + "init =").replace("# MORE", SET)
    codes = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert not codes


PAIRS = PROGRAM.replace(
    "train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
    """\
opt = tf.train.GradientDescentOptimizer(0.1)
pairs = opt.compute_gradients(loss)
sums = [tf.Variable(tf.zeros_like(u.initialized_value()), trainable=False)
        for u in tf.trainable_variables()]
train_op = [sums[i].assign_add(g[0]) for i, g in enumerate(pairs)]
update = opt.apply_gradients([(sums[i], g[1]) for i, g in enumerate(pairs)])""",
).replace("# MORE", "sess.run(update)")


def test_pairs_whose_gradients_are_not_used() -> None:
    findings = migrate_text(PAIRS).findings
    assert not [f for f in findings if f.outcome is Outcome.REFUSED]


def test_pairs_that_something_may_change() -> None:
    changed = PAIRS.replace("update =", "others = pairs\nupdate =")
    findings = migrate_text(changed).findings
    (told,) = [f for f in findings if f.code == "S111"]
    assert told.reason.startswith(
        "this call does not feed the placeholder `x`, but the gradients in"
    )
    followed = changed.replace(
        "g[1]) for i, g in enumerate(pairs)",
        "u) for i, u in enumerate(tf.trainable_variables())",
    )
    assert followed != changed
    codes = {
        f.code for f in migrate_text(followed).findings if f.outcome is Outcome.REFUSED
    }
    assert not codes


@pytest.mark.parametrize("graph", ["sess.graph", "graph=sess.graph"])
@pytest.mark.parametrize(
    "opened", ["sess = tf.Session()", "with tf.Session() as sess:"]
)
def test_a_writer_of_the_open_session_writes_no_graph(opened: str, graph: str) -> None:
    step = "    " if opened.startswith("with") else ""
    text = (
        "import numpy as np\nimport tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [None, 3])\n"
        "w = tf.Variable(tf.ones([3, 1]))\n"
        "loss = tf.reduce_mean(tf.matmul(x, w))\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        f"{opened}\n"
        f"{step}sess.run(tf.global_variables_initializer())\n"
        f'{step}writer = tf.summary.FileWriter("logs")\n'
        f"{step}writer.add_graph({graph})\n"
        f"{step}print(sess.run([train, loss], {{x: np.ones((2, 3))}}))\n"
    )
    done = migrate_text(text)
    assert not any(f.blocks for f in done.findings)
    assert [f.line for f in done.findings if "graph is not written" in f.reason] == [10]
    assert "sess.graph" not in done.text
