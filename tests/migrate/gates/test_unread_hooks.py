"""A program whose hooks' class the tool has not read is refused at the hook's line."""

from __future__ import annotations

import os
import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.disk import discover
from migrate.findings import Outcome
from migrate.options import Options
from migrate.run import run_programs
from migrate.tree import Tree

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
def make():
    return tf.estimator.Estimator(model_fn)
est = tf.estimator.Estimator(model_fn)
est.train(input_fn, steps=3, hooks=TRAINED)
"""
GETTER = """\
HOOKS = []
def get():
    return HOOKS
"""
OWN = """\
class Own(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        print("a step")
"""


def _refuse(
    text: str, filename: str = "<text>", files: tuple[pathlib.Path, ...] = ()
) -> list[tuple[str, str]]:
    """The lines at which a text is refused, and the codes.

    Args:
      files: those of the run.
    """
    tree = Tree(files=frozenset(map(os.path.realpath, files)))
    done = migrate_text(text, Options(tree=tree), filename)
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
        ("hooks=[H()]", "", "from .missing import H", "with tf"),
        # Containers, and their other names.
        ("hooks=d.values()", "d = {}\nd.update(a=SpeedHook(gs))", "", "d.update"),
        ("hooks=d['a']", "d = {'a': []}\nd['a'].append(SpeedHook(1))", "", "d['a']"),
        (
            "hooks=hooks",
            "hooks = []\nadd = hooks.append\nadd(SpeedHook(gs))",
            "",
            "add(",
        ),
        (
            "hooks=hooks",
            "hooks = []\nothers = hooks\nothers.append(SpeedHook(gs))",
            "",
            "others.append",
        ),
        (
            "hooks=hooks",
            "hooks = []\nadd(hooks)",
            "def add(list_):\n    list_.append(SpeedHook(1))",
            "list_.append",
        ),
        ("hooks=get()", "get().append(SpeedHook(1))", GETTER, "get().append"),
        ("hooks=hooks", "print(len(hooks := [SpeedHook(1)]))", "", "print("),
        (
            "hooks=kept.hooks",
            "kept = Kept([SpeedHook(gs)])",
            "import collections\nKept = collections.namedtuple('Kept', 'hooks')",
            "kept = ",
        ),
        (
            "hooks=itertools.chain([SpeedHook(gs)], [])",
            "",
            "import itertools",
            "with tf",
        ),
        ("hooks=[globals()['SpeedHook'](gs)]", "", "", "with tf"),
        # Functions and classes.
        (
            "hooks=make(gs)",
            "",
            "def make(step):\n    hooks = []\n    def add():\n"
            "        nonlocal hooks\n        hooks = [SpeedHook(step)]\n"
            "    add()\n    return hooks",
            "hooks = [Speed",
        ),
        ("hooks=make(SpeedHook)", "make = lambda kind: [kind(1)]", "", "with tf"),
        (
            "hooks=make()",
            "make = functools.partial(by_kind, SpeedHook)",
            "import functools\ndef by_kind(kind):\n    return [kind(1)]",
            "make = ",
        ),
        (
            "hooks=[KINDS['mine'](1)]",
            "",
            "KINDS = {}\ndef register(name):\n    def keep(kind):\n"
            "        KINDS[name] = kind\n        return kind\n    return keep\n"
            "@register('mine')\nclass Mine(SpeedHook):\n    pass",
            "class Mine",
        ),
        (
            "hooks=maker.make()",
            "maker = otherlib.Maker()",
            "class Other:\n    def make(self):\n        return []",
            "maker = ",
        ),
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
        *(
            (
                _estimator("None").replace(
                    "est.train(input_fn, steps=3, hooks=None)", made
                ),
                line,
            )
            for made, line in (
                ("make().train(input_fn, [SpeedHook(1)])", "make()"),
                ("d = {'e': est}\nd['e'].train(input_fn, [SpeedHook(1)])", "d['e']"),
                ("train = est.train\ntrain(input_fn, [SpeedHook(1)])", "train("),
                (
                    "import functools\n"
                    "functools.partial(est.train, input_fn, [SpeedHook(1)])(steps=3)",
                    "functools.partial",
                ),
                (
                    "def run(trainer):\n    trainer.train(input_fn, [SpeedHook(1)])\n"
                    "run(est)",
                    "trainer.train",
                ),
                (
                    "kw = {'hooks': [SpeedHook(1)]}\n"
                    "spec = tf.estimator.TrainSpec(input_fn, **kw)\n"
                    "test = tf.estimator.EvalSpec(input_fn)\n"
                    "tf.estimator.train_and_evaluate(est, spec, test)",
                    "kw = ",
                ),
            )
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
        ("hooks=[Own()] * otherlib.COUNT", "", OWN),
        ("hooks=otherlib.FLAGS.log and [Own()]", "", OWN),
        ("hooks=make(otherlib.FLAGS)", "", OWN + "def make(f):\n    return [Own()]"),
        (
            "hooks=mine.make()",
            "mine = Mine()",
            f"{OWN}class Mine:\n    def make(self):\n        return [Own()]\n"
            "class Unused:\n    def make(self):\n        return [SpeedHook(1)]",
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


OBJECT = """\
import tensorflow as tf
from otherlib.hooks import SpeedHook
class Base:
    def __init__(self, hooks):
        KEEP
    def run(self):
        w = tf.get_variable("w", [])
        gs = tf.train.get_or_create_global_step()
        t = tf.train.AdamOptimizer(0.1).minimize(tf.square(w - 1.), gs)
        with tf.train.MonitoredTrainingSession(hooks=self.hooks) as sess:
            while not sess.should_stop():
                sess.run(t)
MADE.run()
"""


@pytest.mark.parametrize(
    ("keep", "made", "line"),
    [
        ("self.hooks, self.n = [SpeedHook(1)], 3", "Base([])", "self.hooks, "),
        ("for self.hooks in [[SpeedHook(1)]]: pass", "Base([])", "for self"),
        (
            "self.hooks = hooks",
            "class Derived(Base):\n    pass\nDerived([SpeedHook(1)])",
            "Derived(",
        ),
        (
            "self.hooks = hooks",
            "class Derived(Base):\n    def __init__(self):\n"
            "        super().__init__([SpeedHook(1)])\nDerived()",
            "super()",
        ),
    ],
)
def test_a_hook_that_an_object_keeps_is_refused(
    keep: str, made: str, line: str
) -> None:
    text = OBJECT.replace("KEEP", keep).replace("MADE", made)
    ((code, found),) = _refuse(text)
    assert code == "H122" and found.startswith(line)


def test_hooks_of_another_file_of_the_program_migrate(tmp_path: pathlib.Path) -> None:
    """What stands there is followed: it may be of a library all the same."""
    mine = tmp_path / "mine.py"
    mine.write_text(
        "import tensorflow as tf\nfrom otherlib.hooks import SpeedHook\n"
        f"{OWN}\ndef make_hooks():\n    return [SpeedHook('a')]\n"
        "def make_by_kind(kind):\n    return [kind('a')]\n"
    )
    path = str(tmp_path / "main.py")
    made = "from mine import Own, make_by_kind, make_hooks\nimport mine"
    for given in ("[Own()]", "[mine.Own()]"):
        assert _refuse(_session(f"hooks={given}", "", made), path, (mine,)) == []
    for given in (
        "make_hooks()",
        "mine.make_hooks()",
        "[mine.SpeedHook(gs)]",
        "make_by_kind(SpeedHook)",
    ):
        refused = _refuse(_session(f"hooks={given}", "", made), path, (mine,))
        assert [code for code, _ in refused] == ["H122"], given


def _tell_run(
    *paths: pathlib.Path, exclude: tuple[str, ...] = ()
) -> list[tuple[str, str, str]]:
    """Of a run over files and directories what H122 says: file, reason and recipe."""
    patterns = discover.Patterns(paths[0].parent, exclude)
    return [
        (result.path.name, f.reason, f.recipe)
        for program in run_programs(paths, exclusions=discover.Exclusions((patterns,)))
        for result in program
        for f in result.findings
        if f.code == "H122" and f.outcome is Outcome.REFUSED
    ]


@pytest.mark.parametrize("module", ["mine", "package.mine"])
def test_a_hook_of_a_file_outside_the_run_is_refused(
    tmp_path: pathlib.Path, module: str
) -> None:
    """That file stays one of TensorFlow 1: `--exclude` leaves it out."""
    mine = tmp_path.joinpath(*module.split(".")).with_suffix(".py")
    mine.parent.mkdir(exist_ok=True)
    mine.write_text(f"import tensorflow as tf\n{OWN}")
    main = tmp_path / "main.py"
    made = f"from {module} import Own"
    main.write_text(_session("hooks=[Own()]", "", made))
    ((file, reason, recipe),) = _tell_run(main, exclude=("mine.py",))
    assert file == "main.py" and recipe.startswith("Migrate both files in one run")
    where = os.path.relpath(mine, tmp_path)
    assert reason.startswith(f"this hook comes from `{where}`, which is not part of")
    assert _tell_run(main) == _tell_run(tmp_path) == []


def test_a_file_outside_the_run_may_have_what_no_tensorflow_is_needed_for(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "settings.py").write_text("STEPS = 3\nHOOKS = []\n")
    main = tmp_path / "main.py"
    main.write_text(_session("hooks=settings.HOOKS", "", "import settings"))
    assert _tell_run(main) == []


def test_a_hook_that_another_file_gives_is_refused(tmp_path: pathlib.Path) -> None:
    """The file that trains gets it as an argument, from one of a library's hooks."""
    train = _estimator("hooks").replace("est = ", "def run(hooks):\n    est = ")
    train = train.replace("est.train(", "    est.train(")
    (tmp_path / "train.py").write_text(train)
    (tmp_path / "main.py").write_text(
        "import train\nfrom otherlib.hooks import SpeedHook\ntrain.run([SpeedHook(1)])\n"
    )
    assert [file for file, _, _ in _tell_run(tmp_path)] == ["train.py"]


def test_a_hook_that_another_file_gives_to_the_training_is_refused(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "train.py").write_text(
        "def run(est, input_fn, given):\n    est.train(input_fn, given, 3)\n"
    )
    text = _estimator("None", "", "", "import train").replace(
        "est.train(input_fn, steps=3, hooks=None)",
        "train.run(est, input_fn, [SpeedHook(1)])",
    )
    (tmp_path / "main.py").write_text(text)
    assert [file for file, _, _ in _tell_run(tmp_path)] == ["main.py"]
