"""The lines that a finding names are lines of the file that its user wrote."""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome, move_finding
from migrate.options import Options
from migrate.pipeline import migrate_bytes

MODEL = """\
import tensorflow as tf

a = 1; b = 2
ops = {}
class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.Variable(0.0)
    def build(self, ops):
        self.loss = tf.reduce_mean(self.x * self.w)
        ops["op"] = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


model = Model()
getattr(model, input())(ops)


def train():
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run({fetched}, feed_dict={model.x: [1.0]}))

train()
"""
LATE = """\
import tensorflow as tf
a = 1; b = 2


def train():
    with tf.Session() as sess:
        print(sess.run(loss, feed_dict={}))


loss = load_graph(open("x"))
train()
"""


def find_reason(text: str) -> str:
    (found,) = [f for f in migrate_text(text).findings if f.code == "S109"]
    return found.reason


@pytest.mark.parametrize(
    ("fetched", "part"), [("model.loss", "self.loss ="), ('ops["op"]', 'ops["op"] =')]
)
def test_a_part_of_an_object_is_named_with_the_line_that_binds_it(
    fetched: str, part: str
) -> None:
    text = MODEL.replace("{fetched}", fetched)
    reason = find_reason(text).replace("'", '"')
    (line,) = [n for n, s in enumerate(text.split("\n"), 1) if part in s]
    assert f"fetches `{fetched}`" in reason
    assert f"It may be `{part[:-2]}`, which line {line} binds" in reason


def test_a_part_that_nothing_binds_has_no_line() -> None:
    assert "line" not in find_reason(MODEL.replace("{fetched}", "model.other"))


def test_a_line_is_the_one_before_the_file_was_rewritten() -> None:
    line = LATE.split("\n").index('loss = load_graph(open("x"))') + 1
    assert f"`loss`, which line {line} makes" in find_reason(LATE)


def test_a_line_of_a_notebook_is_one_of_its_cell() -> None:
    cells = LATE.replace("\n\n\nloss", "\n#cut\nloss").split("#cut\n")
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {
        "cells": [{**code, "source": cell.splitlines(True)} for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    data = json.dumps(notebook).encode()
    done = migrate_bytes(pathlib.Path("x.ipynb"), data, Options())
    (found,) = [f for f in done.findings if f.code == "S109"]
    assert "`loss`, which cell 2, line 1 makes" in found.reason


def test_a_finding_is_moved_with_the_lines_that_it_names() -> None:
    reason = "line 2 and line 3 (a.py, line 2), and line 9"
    found = Finding(3, 1, "S109", Outcome.REFUSED, "", reason, "see line 3")
    moved = move_finding(found, (1, 0, 7))
    assert moved.line == 7 and moved.recipe == "see line 7"
    assert moved.reason == ("another line and line 7 (a.py, line 2), and another line")
