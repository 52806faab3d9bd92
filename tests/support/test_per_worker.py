"""Every worker's loop has what a TF1 worker, a process, had for itself."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")

from migrate.support import training_session  # noqa: E402
from tests.support.workers import in_workers  # noqa: E402


@pytest.fixture(autouse=True)
def _generators_as_they_were() -> Iterator[None]:
    numpy_state, python_state = np.random.get_state(), random.getstate()
    yield
    np.random.set_state(numpy_state)
    random.setstate(python_state)
    for generator in (training_session.numpy_random, training_session.python_random):
        generator._seeded = False
    training_session.workers.every_object.clear()


def test_a_reader_is_each_workers_own() -> None:
    reader = training_session.per_worker(itertools.count)
    next(reader)  # What the main thread takes, worker 0 has taken.
    drawn = in_workers(lambda index: [next(reader) for _ in range(3)])
    assert drawn == [[1, 2, 3], [0, 1, 2], [0, 1, 2]]


def test_objects_are_made_in_order_when_the_loop_starts() -> None:
    made: list[str] = []
    one, two = (
        training_session.per_worker(lambda name=name: made.append(name) or [])
        for name in ("one", "two")
    )
    in_workers(lambda index: (two.append(1), one.append(1)), workers=2)
    assert made == ["one", "two"] * 2


def test_it_behaves_as_the_object() -> None:
    rows = training_session.per_worker(lambda: np.arange(6.0))
    assert rows[1:3].tolist() == [1, 2] and len(rows) == 6 and rows.sum() == 15
    assert (rows + 1).tolist() == (1 + rows).tolist()
    assert np.eye(6)[np.asarray(rows, int)].shape == (6, 6)
    rows += 1
    rows[0] = 9
    assert type(rows) is training_session.PerWorker and float(np.max(rows)) == 9
    kept = training_session.per_worker(list)
    kept += [1, 2]
    assert kept == [1, 2] and 2 in kept and [*kept] == [1, 2] and bool(kept)
    assert not training_session.per_worker(dict)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: training_session.numpy_random.randn(3).tolist(),
        lambda: [training_session.python_random.random() for _ in range(3)],
    ],
    ids=["numpy", "python"],
)
def test_seeded_generators_begin_alike_others_do_not(draw: Callable[[], Any]) -> None:
    loose = in_workers(lambda index: draw())
    assert len({tuple(numbers) for numbers in loose}) == 3
    training_session.numpy_random.seed(3)
    training_session.python_random.seed(3)
    first = draw()
    alike = in_workers(lambda index: draw())
    assert alike[0] == alike[1] == alike[2] != first
    own = in_workers(
        lambda index: (
            training_session.numpy_random.seed(index),
            training_session.python_random.seed(index),
            draw(),
        )[-1]
    )
    assert len({tuple(numbers) for numbers in own}) == 3


def test_worker_zero_draws_from_the_modules_own_generator() -> None:
    training_session.numpy_random.seed(3)
    drawn = in_workers(lambda index: training_session.numpy_random.randn())
    assert drawn[0] == np.random.RandomState(3).randn()
    assert np.random.randn() == np.random.RandomState(3).randn(2)[1]


def test_a_generator_shuffles_the_object_itself() -> None:
    rows = training_session.per_worker(lambda: np.arange(20).reshape(10, 2))
    training_session.numpy_random.seed(1)
    training_session.numpy_random.shuffle(rows)
    expected = np.arange(20).reshape(10, 2)
    np.random.RandomState(1).shuffle(expected)
    assert rows.tolist() == expected.tolist()


def test_the_tasks_index() -> None:
    assert training_session.task_index(7) == 7
    assert in_workers(lambda index: training_session.task_index(7)) == [0, 1, 2]
