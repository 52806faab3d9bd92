"""A program whose hooks' class the tool has not read is refused at the hook's line."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

SESSION = """\
import tensorflow as tf
from otherlib.hooks import SpeedHook
import otherlib
MADE
w = tf.get_variable("w", [])
gs = tf.train.get_or_create_global_step()
t = tf.train.AdamOptimizer(0.1).minimize(tf.square(w - 1.), gs)
BEFORE
with tf.train.MonitoredTrainingSession(GIVEN) as sess:
    while not sess.should_stop():
        sess.run(t)
"""
ESTIMATOR = """\
import tensorflow as tf
import horovod.tensorflow as hvd
from otherlib.hooks import SpeedHook
MADE
def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 1)
    loss = tf.losses.mean_squared_error(labels, y)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer().minimize(loss, step)
    BEFORE
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, SPECIFIED)
def input_fn():
    return tf.data.Dataset.from_tensors(([[1.]], [[1.]])).repeat()
est = tf.estimator.Estimator(model_fn)
est.train(input_fn, steps=3, hooks=TRAINED)
"""
OWN = """\
class Own(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        print("a step")
"""


def _refuse(text: str, filename: str = "<text>") -> list[tuple[str, str]]:
    """The lines at which a text is refused, and the codes."""
    done = migrate_text(text, filename=filename)
    assert not any(f.outcome is Outcome.FAILED for f in done.findings)
    lines = text.split("\n")
    found = [f for f in done.findings if f.outcome is Outcome.REFUSED]
    told = [f for f in found if f.code != "N100"]
    assert bool(told) is not bool(done.support)
    return [(f.code, lines[f.line - 1].strip()) for f in told]


def _session(given: str, before: str = "", made: str = "") -> str:
    text = SESSION.replace("MADE", made).replace("BEFORE", before)
    return text.replace("GIVEN", given)


def _estimator(
    trained: str, specified: str = "", before: str = "", made: str = ""
) -> str:
    text = ESTIMATOR.replace("MADE", made).replace("    BEFORE\n", before)
    return text.replace("SPECIFIED", specified).replace("TRAINED", trained)


@pytest.mark.parametrize(
    ("given", "before", "made", "line"),
    [
        ("hooks=[SpeedHook(gs)]", "", "", "with tf"),
        ("chief_only_hooks=[otherlib.hooks.SpeedHook(gs)]", "", "", "with tf"),
        ("'', True, None, None, [SpeedHook(gs)]", "", "", "with tf"),
        ("hooks=hooks", "hooks = [SpeedHook(gs)]", "", "hooks = "),
        ("hooks=hooks", "hooks = []\nhooks.append(SpeedHook(gs))", "", "hooks.append"),
        ("hooks=hooks", "hooks = []\nhooks += [SpeedHook(gs)]", "", "hooks += "),
        ("hooks=[hook]", "hook = SpeedHook(gs)", "", "hook = "),
        ("hooks=[*hooks]", "hooks = (SpeedHook(gs),)", "", "hooks = "),
        ("hooks=otherlib.make_hooks(gs)", "", "", "with tf"),
        ("hooks=list(SpeedHook(s) for s in [gs])", "", "", "with tf"),
        (
            "hooks=make(gs)",
            "",
            "def make(step):\n    return [SpeedHook(step)]",
            "return [",
        ),
        (
            "hooks=[Derived(gs)]",
            "",
            "class Derived(SpeedHook):\n    pass",
            "class Derived",
        ),
        (
            "hooks=[kinds['speed'](gs)]",
            "",
            "kinds = {'speed': SpeedHook}",
            "kinds = ",
        ),
        ("hooks=[Starred(gs)]", "", "from otherlib.more import *", "with tf"),
    ],
)
def test_a_session_with_a_hook_of_a_library_is_refused(
    given: str, before: str, made: str, line: str
) -> None:
    """It was called migrated, and ended at its start with a TypeError."""
    ((code, found),) = _refuse(_session(given, before, made))
    assert code == "H122" and found.startswith(line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (_estimator("[SpeedHook('a')]"), "est.train"),
        (_estimator("[hvd.BroadcastGlobalVariablesHook(0)]"), "est.train"),
        (_estimator("None", "training_hooks=[SpeedHook(loss)]"), "return tf"),
        (_estimator("None", "evaluation_hooks=[SpeedHook(loss)]"), "return tf"),
        (
            _estimator("[]", "training_hooks=hooks", "    hooks = [SpeedHook(loss)]\n"),
            "hooks = ",
        ),
        (
            _estimator("None").replace(
                "steps=3, hooks=None", "[SpeedHook('a')], steps=3"
            ),
            "est.train",
        ),
        (
            _estimator("None").replace(
                "est.train(input_fn, steps=3, hooks=None)",
                "spec = tf.estimator.TrainSpec(input_fn, 3, [SpeedHook(1)])\n"
                "test = tf.estimator.EvalSpec(input_fn)\n"
                "tf.estimator.train_and_evaluate(est, spec, test)",
            ),
            "spec = ",
        ),
    ],
)
def test_an_estimator_with_a_hook_of_a_library_is_refused(text: str, line: str) -> None:
    """It became a callback of Keras, which it is not, or ran in a session that is none."""
    ((code, found),) = _refuse(text)
    assert code == "H122" and found.startswith(line)


@pytest.mark.parametrize(
    ("given", "before", "made"),
    [
        ("hooks=[tf.train.StopAtStepHook(3)]", "", ""),
        ("hooks=[Own()]", "", OWN),
        ("hooks=make()", "", OWN + "def make():\n    return [Own()]"),
        ("hooks=hooks", "hooks = []\nhooks.append(Own())", OWN),
        ("hooks=[]", "print(SpeedHook)", ""),
        ("hooks=None", "otherlib.run(hooks=[SpeedHook(1)])", ""),
        (
            "hooks=None",
            "train(3, otherlib.make())",
            "def train(first, second):\n    print(first, second)",
        ),
    ],
)
def test_hooks_that_the_tool_knows_migrate(given: str, before: str, made: str) -> None:
    assert _refuse(_session(given, before, made)) == []


def test_the_reason_names_the_library() -> None:
    (finding,) = (
        f
        for f in migrate_text(_session("hooks=[SpeedHook(gs)]")).findings
        if f.code == "H122"
    )
    assert "`otherlib.hooks`" in finding.reason
    assert finding.recipe.startswith("Copy the hook's class into a file")


def test_hooks_of_another_file_of_the_program_migrate(tmp_path: pathlib.Path) -> None:
    """The tool follows names of that file, which may be a library's."""
    (tmp_path / "mine.py").write_text(
        "import tensorflow as tf\nfrom otherlib.hooks import SpeedHook\n"
        f"{OWN}\ndef make_hooks():\n    return [SpeedHook('a')]\n"
    )
    path = str(tmp_path / "main.py")
    made = "from mine import Own, make_hooks\nimport mine"
    for given in ("[Own()]", "[mine.Own()]"):
        assert _refuse(_session(f"hooks={given}", "", made), path) == []
    for given in ("make_hooks()", "mine.make_hooks()", "[mine.SpeedHook(gs)]"):
        refused = _refuse(_session(f"hooks={given}", "", made), path)
        assert [code for code, _ in refused] == ["H122"], given
