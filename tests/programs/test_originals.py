"""The programs of `clustered` are what they claim: TensorFlow 1.15.5 writes what is recorded."""

from __future__ import annotations

import math
import pathlib

import pytest

from reference import processes
from tests.programs import clusters
from tests.programs.programs import Variant


@pytest.mark.parametrize("variant", clusters.ORIGINALS, ids=lambda v: v.name)
def test_tf1_writes_what_is_recorded(
    variant: Variant, tf1: str, tmp_path: pathlib.Path
) -> None:
    try:
        found = clusters.run(variant, tf1, variant.path, tmp_path / "out")
    except processes.TasksFailed as error:
        # A worker that has ended takes its server with it. TensorFlow 1.15.5 ends another
        # with an error then, if that one still waits for an answer of it.
        if not any(f"{kind}Error" in str(error) for kind in ("Unavailable", "Aborted")):
            raise
        found = clusters.run(variant, tf1, variant.path, tmp_path / "again")
    # One round less: see below.
    assert sum(map(len, found)) >= variant.lines - variant.workers
    assert all(math.isfinite(loss) for lines in found for _, loss in lines)
    # It learns: a program that does not move would agree with anything.
    # (Of two asynchronous workers one may come when all but its one step are done.)
    moved = [lines[0][1] != lines[-1][1] for lines in found if len(lines) > 1]
    assert moved and all(moved)
    recorded = clusters.recorded(variant)
    assert len(recorded) == len(found)
    if variant.equal:
        # A loop that ends by the step that it fetches beside the update: on a loaded
        # machine the server tells the one after it, and the loop makes one round less.
        assert abs(len(found[0]) - len(recorded[0])) <= 1
        assert clusters.difference(found, recorded) <= variant.tolerance
