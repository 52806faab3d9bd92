"""A mistake is told where nobody asks for more: mended, or left as it was."""

from __future__ import annotations

import pathlib

import pytest

from migrate import pipeline
from migrate.codes import CODES
from migrate.findings import Outcome
from migrate.options import Options
from migrate.report import text
from migrate.report.summary import Run, summarise
from reference.pages.cases import cases
from tests.programs.mistake_cases import CASES, Case

# A name that TensorFlow has changed since means the same: no mistake of the author's.
_RENAMED = {"D108"}
_CASES = [name for name, case in cases().items() if CODES[case.code].noted]
GRAPH = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]))
loss = tf.reduce_mean(tf.matmul(x, w))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    writer = tf.summary.FileWriter("/tmp/logs"GIVEN)
    MORE
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1.0, 2.0]]})
"""


def told(program: str) -> tuple[str, int]:
    """Returns what a run prints of a program without --verbose, and the exit code."""
    path = pathlib.Path("main.py")
    results = [pipeline.migrate_bytes(path, program.encode(), Options())]
    return "\n".join(text.write_findings(Run(results))), summarise(results).exit_code


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_each_mistake_of_the_page_is_told(case: Case) -> None:
    said, _ = told(case.old)
    assert {code for code in case.codes if f" {code} " not in said} <= _RENAMED


@pytest.mark.parametrize("name", _CASES)
def test_each_case_of_a_code_that_is_noted_is_told(name: str) -> None:
    case = cases()[name]
    said, _ = told(case.text)
    assert f" {case.code} " in said


def test_a_mended_mistake_leaves_nothing_to_do() -> None:
    """The control: a name that is only renamed is told by --verbose alone."""
    case = next(c for c in CASES if c.name == "softmax_twice")
    said, exit_code = told(case.old)
    assert " D102 rewritten: " in said and "T102" not in said
    assert exit_code == 0


@pytest.mark.parametrize(
    ("given", "more"),
    [
        (", sess.graph", "pass"),
        (", graph=tf.get_default_graph()", "pass"),
        ("", "writer.add_graph(sess.graph)"),
    ],
)
def test_a_graph_that_is_not_written_is_told(given: str, more: str) -> None:
    program = GRAPH.replace("GIVEN", given).replace("MORE", more)
    said, exit_code = told(program)
    assert said.count("M110") == 1 and "the graph is not written" in said
    assert exit_code == 0
    assert not told(GRAPH.replace("GIVEN", "").replace("MORE", "pass"))[0]


def test_what_is_noted_asks_for_nothing() -> None:
    """Findings of the suite's mistakes that are mended are neither refused nor warned."""
    for case in CASES:
        results = [
            pipeline.migrate_bytes(pathlib.Path("a.py"), case.old.encode(), Options())
        ]
        mended = [f for f in results[0].findings if f.code in case.codes - _RENAMED]
        by_hand = {Outcome.KEPT, Outcome.WARNED}
        assert {f.outcome for f in mended} <= (
            by_hand if case.by_hand else {Outcome.REWRITTEN}
        )
