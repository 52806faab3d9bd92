"""Updates that every branch of a condition makes, in a model_fn or a function of it."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

ROOT = pathlib.Path(__file__).parents[4]
_HEAD = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features["x"], 4, tf.nn.relu)
    logits = tf.layers.dense(net, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
"""
_TAIL = """\
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


e = tf.estimator.Estimator(model_fn, params={"rate": 0.1})
"""
_ADAM = "train_op = tf.train.AdamOptimizer(0.1).minimize(loss, step)"
_SGD = "train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)"


def _migrated(update: str, head: str = _HEAD) -> tuple[str, str]:
    """The result, and why a model_fn in it stays one."""
    lines = [f"    {line}\n" if line else "\n" for line in update.split("\n")]
    migration = migrate_text(head + "".join(lines) + _TAIL)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    stays = "; ".join(f.reason for f in migration.findings if f.code == "K110")
    assert bool(stays) != ("(tf_keras.Model)" in migration.text)
    return migration.text, stays


def _made(text: str) -> str:
    """Returns the text of a model after its network."""
    rest = text.partition("super().__init__(inputs=features, outputs=logits)\n")[2]
    return rest.partition("\n    def ")[0]


def test_branches_make_optimizers() -> None:
    """Comments and errors stay where they were."""
    text, stays = _migrated(
        'if params["adam"]:\n'
        "    # The usual one.\n"
        "    train_op = tf.train.AdamOptimizer(\n"
        '        params["rate"]).minimize(\n'
        "            loss,\n"
        "            global_step=step)\n"
        'elif params["sgd"]:\n'
        "    opt = tf.train.GradientDescentOptimizer(0.1)\n"
        "    train_op = opt.minimize(loss, global_step=step)\n"
        "else:\n"
        '    raise ValueError("neither")'
    )
    assert not stays
    assert _made(text).startswith(
        "        step = tf.compat.v1.train.get_or_create_global_step()\n"
        '        if params["adam"]:\n'
        "            # The usual one.\n"
        "            opt = tf.compat.v1.train.AdamOptimizer(\n"
        '                params["rate"])\n'
        '        elif params["sgd"]:\n'
        "            opt = tf.compat.v1.train.GradientDescentOptimizer(0.1)\n"
        "        else:\n"
        '            raise ValueError("neither")\n'
        "        self.compile(optimizer=opt)\n"
    )


def test_branches_within_branches() -> None:
    text, stays = _migrated(
        f'if params["adam"]:\n    {_ADAM}\nelse:\n    if params["sgd"]:\n'
        f"        {_SGD}\n    else:\n        {_SGD.replace('0.1', '0.2')}"
    )
    assert not stays
    assert _made(text).count("optimizer_2 = optimizer\n") <= 1


def test_a_conditional_expression() -> None:
    adam, sgd = _ADAM.partition("= ")[2], _SGD.partition("= ")[2]
    text, stays = _migrated(f'train_op = {adam} if params["adam"] else {sgd}')
    assert not stays
    assert "        else:\n            optimizer = tf.compat.v1.train.G" in text


@pytest.mark.parametrize(
    "update",
    [
        # Another loss, or step.
        f'if params["adam"]:\n    {_ADAM}\nelse:\n    '
        + _SGD.replace("loss", "2 * loss"),
        # Without any of them, that of before would stay.
        f'{_SGD}\nif params["adam"]:\n    {_ADAM}\nelif params["sgd"]:\n    {_SGD}',
        # It is not the last.
        f'if params["adam"]:\n    {_ADAM}\n    loss = 2 * loss\nelse:\n    {_SGD}',
        # What it waits for is of one branch alone, and may be anything.
        f'if params["adam"]:\n    with tf.control_dependencies([tf.print(loss)]):\n'
        f"        {_ADAM}\nelse:\n    {_SGD}",
    ],
)
def test_branches_that_do_not_end_alike(update: str) -> None:
    why = (
        "its train_op is not a single call",
        "its control_dependencies run something other",
    )
    assert any(reason in _migrated(update)[1] for reason in why)


_NORMALISED = """\
import tensorflow as tf


def build(x, params, training):
    net = tf.layers.dense(x, 4)
    if params["norm"]:
        net = tf.layers.batch_normalization(net, training=training)
    return tf.layers.dense(net, 3)


def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    logits = build(features["x"], params, training)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
"""
_WAITING = """\
if params["norm"]:
    # First the averages.
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, global_step=step)
else:
    train_op = optimizer.minimize(loss, global_step=step)"""


def test_averages_of_one_branch() -> None:
    """If one branch alone has averages, both branches wait."""
    text, stays = _migrated(_WAITING, _NORMALISED)
    assert not stays
    assert "        # First the averages.\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('if params["norm"]:', "if True:"),
        ('if params["norm"]:', 'if not params["norm"]:'),
        ('features["x"], params', 'features["x"], dict(params)'),
        ("tf.layers.dense(net, 3)", "layers.last(net, 3)"),
        ("    return", "    params = {}\n    return"),
    ],
)
def test_averages_of_other_branches(old: str, new: str) -> None:
    """TF1 may have moved them in one branch alone, which a traced function does not."""
    assert old in _NORMALISED
    assert "L123" in _refused(_WAITING, _NORMALISED.replace(old, new))


_CLIPPED = """\
optimizer = tf.train.AdamOptimizer(0.1)
if params["clip"] > 0:
    # Not too far.
    pairs = optimizer.compute_gradients(loss)
    clipped = [(tf.clip_by_norm(g, params["clip"]), v) for g, v in pairs]
    train_op = optimizer.apply_gradients(clipped, global_step=step)
else:
    train_op = optimizer.minimize(loss, global_step=step)"""


def test_gradients_that_one_branch_changes() -> None:
    text, stays = _migrated(_CLIPPED)
    assert not stays
    assert (
        "        pairs = list(zip(tape.gradient(scaled_loss, variables), variables))\n"
        '        if params["clip"] > 0:\n'
        "            # Not too far.\n"
        '            clipped = [(tf.clip_by_norm(g, params["clip"]), v) for g, v in '
        "pairs]\n"
        "            pairs = clipped\n"
        "        self.optimizer.apply_gradients(pairs)\n"
    ) in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("compute_gradients(loss)", "compute_gradients(2 * loss)"),
        ("    pairs =", "    loss = 2 * loss\n    pairs ="),
        ("clipped, global_step=step", "clipped"),
        ("    # Not too far.", "    optimizer = tf.train.FtrlOptimizer(0.1)"),
        # What stands before an update may change what it minimises.
        ("else:\n", "else:\n    loss = loss + 0.5\n"),
        ("else:\n", "else:\n    tf.losses.add_loss(tf.reduce_mean(net))\n"),
    ],
)
def test_gradients_of_something_else(old: str, new: str) -> None:
    assert old in _CLIPPED
    assert _migrated(_CLIPPED.replace(old, new))[1]


_HELPER = """\
import tensorflow as tf


def train(loss, name):
    step = tf.train.get_global_step()
    if name == "adam":
        return tf.train.AdamOptimizer(0.1).minimize(loss, step)
    if name == "sgd":
        return tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    raise ValueError(name)


"""


def test_a_function_that_returns_in_branches() -> None:
    """It stays as it is; its update has the form of branches."""
    head = _HELPER + _HEAD.partition("\n\n\n")[2]
    text, stays = _migrated('train_op = train(loss, params["optimizer"])', head)
    assert not stays
    assert (
        '        if params["optimizer"] == "adam":\n'
        "            optimizer = tf.compat.v1.train.AdamOptimizer(0.1)\n"
        '        elif params["optimizer"] == "sgd":\n'
    ) in text
    assert text.count("    if name ==") == 2


def test_a_function_that_may_return_nothing() -> None:
    head = _HELPER.replace("    raise ValueError(name)\n", "")
    head += _HEAD.partition("\n\n\n")[2]
    assert _migrated('train_op = train(loss, params["optimizer"])', head)[1]


_IMPORT = """\
import tensorflow as tf

from errors import error
"""
_ERRORS = """\
import tensorflow as tf


def error(labels, logits):
    return tf.reduce_mean(tf.square(logits - labels))
"""


@pytest.mark.parametrize("normalises", [False, True])
def test_averages_beside_functions_of_other_files(
    normalises: bool, tmp_path: pathlib.Path
) -> None:
    """Such a file has no batch normalisation, as far as that can be seen."""
    source = tmp_path / "tree"
    source.mkdir()
    model = _NORMALISED.replace(
        "tf.losses.sparse_softmax_cross_entropy(", "error("
    ).replace("import tensorflow as tf\n", _IMPORT, 1)
    update = "".join(f"    {line}\n" for line in _WAITING.split("\n"))
    (source / "model.py").write_text(model + update + _TAIL)
    more = "    logits = tf.layers.batch_normalization(logits)\n    return"
    errors = _ERRORS.replace("    return", more) if normalises else _ERRORS
    (source / "errors.py").write_text(errors)
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output",
         tmp_path / "new"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert ("L123" in said) == normalises, said
    text = (tmp_path / "new" / "model.py").read_text()
    assert ("(tf_keras.Model)" in text) != normalises


def _refused(update: str, head: str) -> set[str]:
    lines = [f"    {line}\n" if line else "\n" for line in update.split("\n")]
    migration = migrate_text(head + "".join(lines) + _TAIL)
    return {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("X", "X"),
        # By a name of theirs.
        (
            "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):",
            "",
        ),
    ],
)
def test_averages_that_one_branch_leaves(old: str, new: str) -> None:
    """They never moved there in TF1; but where it has none, or all of them wait."""
    update = _WAITING
    if not new:
        assert old in update
        named = "updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
        update = named + update.replace(old, "with tf.control_dependencies(updates):")
    always = _NORMALISED.replace('if params["norm"]:', "if True:")
    assert "L123" in _refused(update, always)
    assert not _refused(update, _NORMALISED)
    both = update.replace(
        "\nelse:\n", "\nelse:\n    tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
    )
    assert both != update and not _refused(both, always)
    after = update + "\ntrain_op = tf.group(train_op, tf.get_collection('update_ops'))"
    assert not _refused(after, always)
    # Another model_fn of the file has layers of its own.
    other = """
def other_fn(features, labels, mode):
    net = tf.layers.batch_normalization(features["x"], training=True)
    loss = tf.reduce_mean(tf.layers.dense(net, 1))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


"""
    assert "def build(" in _NORMALISED
    two = _NORMALISED.replace("def build(", f"{other.lstrip()}def build(", 1)
    assert not _refused(update, two)


_UNMOVED = """
def body(features):
    return tf.layers.batch_normalization(features["x"], training=True)


def first_fn(features, labels, mode):
    loss = tf.reduce_mean(body(features))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def moved(optimizer, loss):
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return optimizer.minimize(loss)


def second_fn(features, labels, mode):
    loss = tf.reduce_mean(body(features))
    train_op = moved(tf.train.AdamOptimizer(0.1), loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


for model_fn in first_fn, second_fn:
    tf.estimator.Estimator(model_fn).train(input_fn)
"""


def test_averages_that_one_model_fn_of_a_file_leaves() -> None:
    """TensorFlow 1.15.5 kept 0 and 1 in the first one's checkpoints (measured)."""

    def refused(text: str) -> set[str]:
        findings = migrate_text("import tensorflow as tf\n" + text).findings
        return {f.code for f in findings if f.outcome is Outcome.REFUSED}

    assert "L123" in refused(_UNMOVED)
    update = "tf.train.AdamOptimizer(0.1).minimize(loss)"
    assert "L123" not in refused(
        _UNMOVED.replace(update, "moved(tf.train.AdamOptimizer(0.1), loss)", 1)
    )
    # By a function that is only given.
    given = "given(moved, tf.train.AdamOptimizer(0.1)).minimize(loss)"
    assert "L123" not in refused(_UNMOVED.replace(update, given, 1))


def test_averages_that_one_branch_leaves_in_a_tree(tmp_path: pathlib.Path) -> None:
    """Also where a program is known to run updates in one of its files."""
    update = "".join(f"    {line}\n" for line in _WAITING.split("\n"))
    always = _NORMALISED.replace('if params["norm"]:', "if True:")
    source = tmp_path / "tree"
    source.mkdir()
    (source / "model.py").write_text(always + update + _TAIL)
    (source / "start.py").write_text("import model\n")
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output",
         tmp_path / "new"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert "L123" in done.stdout + done.stderr


_LAST = """\
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train_op = optimizer.minimize(loss, global_step=step)"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UPDATE_OPS)", "UPDATE_OPS, scope='batch_normalization_1')"),
        ("UPDATE_OPS)", "UPDATE_OPS, 'batch_normalization_1')"),
        ("UPDATE_OPS)", "UPDATE_OPS)[:2]"),
        (
            "(update_ops)",
            "([u for u in update_ops if u.name.startswith('batch')])",
        ),
    ],
)
def test_a_part_of_the_averages_is_refused(old: str, new: str) -> None:
    head = _NORMALISED.replace('if params["norm"]:', "if True:")
    assert "L123" not in _refused(_LAST, head)
    assert old in _LAST
    assert "L123" in _refused(_LAST.replace(old, new), head)


@pytest.mark.parametrize("keras", [True, False])
def test_averages_of_layers_after_the_list_are_refused(keras: bool) -> None:
    """In a function of the file, which is called after the list is asked for."""
    head = _NORMALISED.replace('    if params["norm"]:\n    ', "")
    if not keras:
        head = head.replace("x, 4)", "tf.py_func(lambda a: a, [x], tf.float32), 4)")
    first, rest = _LAST.split("\n", 1)
    assert "L123" not in _refused(_LAST, head)
    early = head.replace("    logits = ", f"    {first}\n    logits = ")
    assert "L123" in _refused(rest, early)
