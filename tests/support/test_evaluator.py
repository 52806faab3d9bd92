"""The evaluator of `train_and_evaluate`, beside a training that goes on meanwhile."""

from __future__ import annotations

import pathlib

import pytest

tf = pytest.importorskip("tensorflow")

from migrate.support.estimator_loop import timeline  # noqa: E402
from migrate.support.training_session.checkpoints import Saver  # noqa: E402


class _Spec:
    start_delay_secs = throttle_secs = 0
    max_steps = 7


class _Estimator:
    """Its training saves anew while a checkpoint is evaluated, and removes that one."""

    def __init__(self, directory: pathlib.Path, removes: bool) -> None:
        self._directory, self._removes = directory, removes
        self.asked: list[str] = []
        self._save(1)

    def _save(self, step: int) -> None:
        prefix = self._directory / f"model.ckpt-{step}"
        prefix.with_name(f"{prefix.name}.index").touch()
        tf.compat.v1.train.update_checkpoint_state(str(self._directory), str(prefix))

    def latest_checkpoint(self) -> str:
        return str(tf.train.latest_checkpoint(str(self._directory)))

    def evaluate(self) -> tuple[dict[str, int], list[object]]:
        path = pathlib.Path(self.latest_checkpoint())
        self.asked.append(path.name)
        if len(self.asked) == 1:
            self._save(7)
            if self._removes:
                path.with_name(f"{path.name}.index").unlink()
            Saver().restore(None, str(path) if self._removes else "elsewhere")
        return {"global_step": 7}, []


def test_a_checkpoint_that_training_has_removed_is_passed_over(
    tmp_path: pathlib.Path,
) -> None:
    estimator = _Estimator(tmp_path, removes=True)
    timeline._evaluate_until(estimator, estimator, _Spec, _Spec)
    assert estimator.asked == ["model.ckpt-1", "model.ckpt-7"]


def test_one_that_is_there_and_cannot_be_read_ends_it(tmp_path: pathlib.Path) -> None:
    estimator = _Estimator(tmp_path, removes=False)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        timeline._evaluate_until(estimator, estimator, _Spec, _Spec)
