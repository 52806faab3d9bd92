"""Checks that `fit_callbacks` gives what predict and evaluate of an Estimator gave."""

from __future__ import annotations

import pytest

pytest.importorskip("tensorflow")
pytest.importorskip("tf_keras")

import tensorflow as tf  # noqa: E402

from migrate.support import fit_callbacks  # noqa: E402


class _Model:
    def predict_on_batch(self, batch: tf.Tensor) -> object:
        return {"prob": batch.numpy() + 1, "class": batch.numpy()}


class _Plain:
    def predict_on_batch(self, batch: tf.Tensor) -> object:
        return batch.numpy()


def _predict(keys: object, model: object = _Model()) -> list[object]:
    data = tf.data.Dataset.range(3).batch(2)
    return list(fit_callbacks.predictions(model, data, keys))


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (None, {"prob", "class"}),
        ([], {"prob", "class"}),
        (["class"], {"class"}),
        (("class", "other"), {"class"}),
        ("prob", {"prob"}),
        # TensorFlow 1 asks `key in predict_keys`, of a string, too.
        ("prob,class", {"prob", "class"}),
    ],
)
def test_predictions_of_keys(keys: object, names: set[str]) -> None:
    every = [{"prob": n + 1, "class": n} for n in range(3)]
    assert _predict(keys) == [
        {k: v for k, v in one.items() if k in names} for one in every
    ]


@pytest.mark.parametrize("model", [_Model(), _Plain()], ids=["other", "no-dict"])
def test_keys_of_which_there_is_none(model: object) -> None:
    """As TensorFlow 1: none of the keys is there, or the predictions have no keys."""
    with pytest.raises(ValueError, match="none"):
        _predict(["none"], model)
    assert _predict(None, _Plain()) == [0, 1, 2]


def test_results_have_the_order_of_tf1() -> None:
    """Sorted by name, with the loss among them; the global step is the last."""

    class _Trained:
        class optimizer:
            iterations = tf.Variable(7)

    found = fit_callbacks.with_step(_Trained, {"loss": 1.0, "b": 2.0, "auc": 3.0})
    assert list(found.items()) == [
        ("auc", 3.0),
        ("b", 2.0),
        ("loss", 1.0),
        ("global_step", 7),
    ]
