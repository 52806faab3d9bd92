"""Checks what a model_fn may read of the object whose method contains it."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_PROGRAM = """\
import tensorflow as tf


class BigTrainer(object):
    limit = 3

    def __init__(self, hidden):
        self.hidden = hidden
        self.settings = {{"rate": 0.1}}

    def width(self):
        return 5

    def estimator(self):
        def model_fn(features, labels, mode):
            {first}
            logits = tf.layers.dense(features["x"], {units})
            loss = {loss}
            train_op = tf.train.AdamOptimizer(0.1).minimize(
                loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

        {then}
        return tf.estimator.Estimator(model_fn)
"""
_LOSS = "tf.losses.mean_squared_error(labels, logits)"


def _migrated(
    units: str = "1", loss: str = _LOSS, first: str = "pass", then: str = "pass"
) -> tuple[str, str]:
    """The result, and why the model_fn stays one."""
    text = _PROGRAM.format(units=units, loss=loss, first=first, then=then)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    reasons = [f.reason for f in migration.findings if f.code == "K110"]
    return migration.text, "; ".join(reasons)


@pytest.mark.parametrize(
    ("units", "loss"),
    [
        ("self.hidden", _LOSS),
        ('self.settings["units"]', _LOSS),
        ('self.settings.get("units", 4)', _LOSS),
        ("1", f"self.hidden * {_LOSS}"),
        ("len([u for u in self.hidden])", _LOSS),
    ],
)
def test_its_values(units: str, loss: str) -> None:
    text, stays = _migrated(units, loss)
    assert not stays
    assert "        big_trainer = self\n\n        class EstimatorModel(" in text
    model = text[
        text.index("class EstimatorModel") : text.index("        return keras")
    ]
    assert units.replace("self", "big_trainer") in model
    assert "big_trainer.hidden * " in model or "self" not in loss


def test_its_name_is_free() -> None:
    text, stays = _migrated("self.hidden", then="big_trainer = 1")
    assert not stays and "big_trainer_2 = self\n" in text


@pytest.mark.parametrize(
    "used",
    [
        {"units": "self.width()"},  # A method may do anything.
        {"units": "self.hidden()"},
        {"units": "self.hidden.pop()"},
        {"units": "self.limit"},  # Subclasses and others may have it otherwise.
        {"units": "self.width"},
        {"units": "len(vars(self))"},
        {"first": "self.logits = 1"},
        {"first": "self.settings['rate'] = 1", "units": "self.hidden"},
        {"units": "self.hidden", "then": "self = None"},
    ],
)
def test_more_than_values(used: dict[str, str]) -> None:
    text, stays = _migrated(**used)
    assert (
        "for more than to read an attribute of the object" in stays
        or "changes" in stays
    )
    assert "big_trainer" not in text and "tf_keras" not in text
