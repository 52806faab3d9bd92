"""A method that is brought to its caller computes its arguments when, and as, the call did."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.calls import inliner
from migrate.normalise.graph_builders import inlining
from tests.migrate.backends.running import run_together

PROGRAM = """import sys
import tensorflow as tf
log = open(sys.argv[1].split('=')[1] + '/loss.0', 'w')
class Settings(object):
    rate = 8.
settings = Settings()
rounds = 0
numbers = []
def count(n):
    global rounds
    rounds += 1
    return rounds * 10 + n
class Model(object):
    def __init__(self, sess):
        self.sess = sess
        self.seen = 0
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.Variable([1.], name='w')
        self.loss = tf.reduce_sum(self.w * self.x)
        self.train = tf.train.GradientDescentOptimizer(.1).minimize(self.loss)
    def step(self, x):
        self.seen += 1
        count(0)
        settings.rate *= .5
        numbers.append(self.seen)
        return self.sess.run([self.train, self.loss], {self.x: x})[1]
    def tell(self, x, first, second):
        loss = self.step(x)
        return [first, second, float(loss)]
def show(*values):
    for value in values:
        log.write('0 %r\\n' % float(value))
with tf.Session() as sess:
    model = Model(sess)
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        WRITTEN
log.close()
"""
CASES = {
    "a call before": "show(count(i), model.step([1. + i]))",
    "an attribute before": "show(model.seen, model.step([1. + i]), model.seen)",
    "another's attribute before": "show(settings.rate, model.step([2.]))",
    "a global before": "show(rounds, model.step([2.]), rounds)",
    "a sum before": "show(model.seen + i, model.step([2.]))",
    "a list that the step changes": "show(len(numbers), model.step([2.]), len(numbers))",
    "in a list": "show(*[count(i), model.step([2.]), count(i)])",
    "a product": "value = model.seen * model.step([2.]); show(value)",
    "a method's argument": "show(*model.tell([2.], model.seen, settings.rate))",
    "arguments in another order": (
        "show(*model.tell(second=count(1), x=[2.], first=count(2)))"
    ),
}
PROGRAMS = {
    case: PROGRAM.replace("WRITTEN", written.replace("; ", "\n        "))
    for case, written in CASES.items()
}


def _migrate(programs: dict[str, str]) -> dict[str, str]:
    texts = {}
    for case, program in programs.items():
        migration = migrate_text(program)
        assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED], case
        texts[case] = migration.text
    return texts


def test_equal_to_tf1(tf1: str, tmp_path: pathlib.Path) -> None:
    old = run_together(tf1, PROGRAMS, tmp_path / "old")
    new = run_together(sys.executable, _migrate(PROGRAMS), tmp_path / "new")
    for case, values in old.items():
        assert new[case] == pytest.approx(values, rel=2e-6), case


def test_a_call_that_is_moved_across_them_is_noticed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = "an attribute before"
    right = _migrate({case: PROGRAMS[case]})
    monkeypatch.setattr(
        inlining.ChangedValues, "needs_name", lambda self, part, call: False
    )
    wrong = _migrate({case: PROGRAMS[case]})
    assert inliner.ChangedValues is inlining.ChangedValues
    first = run_together(sys.executable, right, tmp_path / "right")
    second = run_together(sys.executable, wrong, tmp_path / "wrong")
    assert first[case][1::3] == second[case][1::3]  # What the steps give.
    assert first[case] != second[case]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        count(0)\n", "        numbers.append(lambda: x)\n"),
        (
            "        count(0)\n",
            "        def later():\n            return x\n"
            "        numbers.append(later)\n",
        ),
        ("def step(self, x):", "def step(self, x, kept=[]):\n        kept.append(x)"),
        (
            "def step(self, x):",
            "def step(self, x, kept=count(1)):\n        print(kept)",
        ),
    ],
    ids=["a lambda", "a function", "a list", "a call"],
)
def test_what_calls_share_or_keep_stays_in_its_method(old: str, new: str) -> None:
    program = PROGRAMS["a product"]
    assert program.count(old) == 1
    done = migrate_text(program.replace(old, new))
    assert [f.code for f in done.findings if f.blocks and f.code != "N100"] == ["S185"]


def test_a_list_that_the_method_only_reads_may_be_a_default() -> None:
    written = "def step(self, x, scale=[1, 2]):\n        if settings is None:\n"
    written += "            scale = [2, 3]\n        print(scale[0], len(scale))"
    program = PROGRAMS["a product"].replace("def step(self, x):", written)
    assert not [f for f in migrate_text(program).findings if f.blocks]


@pytest.mark.parametrize(
    "used",
    ["print(sorted(numbers, key=lambda n: n * x[0]))", "print(list(n for n in x))"],
)
def test_a_function_that_is_called_at_once_keeps_nothing(used: str) -> None:
    program = PROGRAMS["a product"].replace("count(0)\n", f"{used}\n")
    assert not [f for f in migrate_text(program).findings if f.blocks]
