"""Computes once the trace that the scenarios' tests compare with."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil

import pytest

from reference import environment, oracle
from reference.compare import Divergence
from reference.runner import Trace
from reference.scenario import Run, Scenario
from tests.reference.processors import least_tolerance


@dataclasses.dataclass(frozen=True)
class Measure:
    """TensorFlow 1.15.5's values of one run.

    Attributes:
      initial: the values the run starts from.
      trace: its trace.
      same_processor: whether it was computed on this kind of processor, so that the
        scenario's own tolerance holds.
    """

    initial: dict[str, oracle.Array]
    trace: Trace
    same_processor: bool


class Oracle:
    """TensorFlow 1.15.5: recorded, and live where a Python 3.7 is at hand."""

    def __init__(self, work: pathlib.Path):
        self._work = work
        self._traces: dict[tuple[str, str], Trace] = {}

    def _train(self, scenario: Scenario, run: Run, python: str) -> Trace:
        """The genuine one's trace, from the recording's initial values; made once."""
        key = scenario.name, run.name
        if key not in self._traces:
            initial = oracle.recorded(scenario, run).initial
            work = self._work / f"{scenario.name}-{run.name}"
            shutil.rmtree(
                work, ignore_errors=True
            )  # A proof that stands gives up halfway.
            work.mkdir()
            self._traces[key] = oracle.live(scenario, run, python, work, initial)
        return self._traces[key]

    def find_divergence(
        self, scenario: Scenario, run: Run, found: Trace
    ) -> Divergence | None:
        """Finds where a trace differs from TensorFlow 1.15.5's by too much."""
        measure = self.measure(scenario, run)
        return oracle.compare(
            scenario,
            run,
            measure.trace,
            found,
            same_processor=measure.same_processor,
            least=least_tolerance(scenario, run),
        )

    def measure(self, scenario: Scenario, run: Run) -> Measure:
        """The recording; the live trace where that is of another processor.

        Last bits depend on the processor. Where neither is to be had, the comparison
        is with the recording and allows for that (`oracle.ELSEWHERE`).
        """
        recording = oracle.recorded(scenario, run)
        if oracle.recorded_here(scenario, run):
            return Measure(recording.initial, recording.trace, True)
        if next(environment.pythons(), None) is not None:
            trace = self._train(scenario, run, str(environment.make()))
            return Measure(recording.initial, trace, True)
        return Measure(recording.initial, recording.trace, False)


@pytest.fixture(scope="session")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(tmp_path_factory.mktemp("genuine"))
