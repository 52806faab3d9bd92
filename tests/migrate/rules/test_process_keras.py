"""A file that chooses Keras 2 for its process has TensorFlow 1's layers in compat.v1."""

from __future__ import annotations

import ast

import pytest

from migrate.compiler import migrate_text
from migrate.facts.process_keras import chooses_keras_2

CHOICE = 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")'
FILE = """\
import os

{choice}
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
y = tf.layers.dense(tf.zeros([2, 3]), 2)
cell = tf.nn.rnn_cell.BasicLSTMCell(3)
"""


@pytest.mark.parametrize("choice", [CHOICE, 'os.environ["TF_USE_LEGACY_KERAS"] = "1"'])
def test_its_layers_and_cells_stay(choice: str) -> None:
    text = FILE.format(choice=choice)
    done = migrate_text(text)
    assert done.text == text
    codes = {f.code for f in done.findings}
    assert codes == {"T105"}, done.findings


def test_without_the_choice_they_come_from_keras_2() -> None:
    """The control: TensorFlow 2.16 and later do not have them there."""
    new = migrate_text(FILE.format(choice="")).text
    assert "tf1_layers.dense(" in new and "tf1_rnn_cell.BasicLSTMCell(" in new


@pytest.mark.parametrize(
    "text, expected",
    [
        (CHOICE, True),
        ("from os import environ\nenviron['TF_USE_LEGACY_KERAS'] = '1'", True),
        ("x = 'TF_USE_LEGACY_KERAS'", False),
        ("os.environ.get('TF_USE_LEGACY_KERAS')", False),
        ("mine.setdefault('TF_USE_LEGACY_KERAS', '1')", False),
    ],
)
def test_what_is_a_choice(text: str, expected: bool) -> None:
    assert chooses_keras_2(ast.parse(text)) is expected
