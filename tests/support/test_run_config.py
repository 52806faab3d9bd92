"""RunConfig where one process runs the loops of all workers: whose answers it gives."""

from __future__ import annotations

import json
import pathlib
import threading

import pytest

from reference import processes

tf = pytest.importorskip("tensorflow")

from migrate.support import estimator_loop  # noqa: E402
from migrate.support.estimator_loop import run_config  # noqa: E402

CLUSTER = {
    "chief": ["localhost:1"],
    "worker": ["localhost:2", "localhost:3"],
    "ps": ["localhost:4"],
}
NAMES = (
    *("task_type", "task_id", "is_chief", "global_id_in_cluster"),
    *("num_worker_replicas", "num_ps_replicas", "master"),
)


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> estimator_loop.RunConfig:
    """Makes the chief's configuration; the chief is the coordinator."""
    task = {"type": "chief", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": CLUSTER, "task": task}))
    return estimator_loop.RunConfig()


def _answers(config: estimator_loop.RunConfig) -> dict[str, object]:
    return {name: getattr(config, name) for name in NAMES}


def test_each_workers_input_fn_has_the_answers_of_its_tf1_process(
    config: estimator_loop.RunConfig, tmp_path: pathlib.Path, tf1: str
) -> None:
    script = pathlib.Path(__file__).with_name("tf1_run_config.py")
    done = processes.run_program([tf1, script, json.dumps([CLUSTER, NAMES])])
    expected = json.loads(done.stdout.splitlines()[-1])
    found = []

    def input_fn() -> tf.data.Dataset:
        found.append(_answers(config))
        rows = tf.data.Dataset.range(6)
        return rows.shard(config.num_worker_replicas, config.global_id_in_cluster)

    estimator = estimator_loop.Estimator(
        lambda features: None, str(tmp_path), estimator_loop.RunConfig()
    )
    parts = [
        list(estimator._training_input(input_fn, worker).as_numpy_iterator())
        for worker in range(3)
    ]
    assert found == expected
    assert parts == [[0, 3], [1, 4], [2, 5]]
    assert _answers(config) == expected[0]


def test_other_threads_are_not_answered_so(config: estimator_loop.RunConfig) -> None:
    found = []
    with run_config.answer_for(worker=2):
        thread = threading.Thread(target=lambda: found.append(_answers(config)))
        thread.start()
        thread.join()
        assert config.task_id == 1
    assert found == [_answers(config)]


def test_a_model_fn_that_asks_which_task_it_is_warns_once(
    config: estimator_loop.RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        tf.compat.v1.logging, "warning", lambda text, *rest: said.append(text % rest)
    )
    with run_config.answer_for(all_workers=True):
        assert config.num_worker_replicas == 3 and not said
        assert config.is_chief and config.task_id == 0
    assert len(said) == 1 and "one model serves all workers" in said[0]
    assert config.is_chief and len(said) == 1
