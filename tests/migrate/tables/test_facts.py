"""The tables agree with what was observed of Python and of both TensorFlows.

`tests/mutation/facts.py` has the facts, and which part of a table contradicts one. What was
observed is observed again here.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import pytest

from reference.environment import find_tf1
from tests import ledger
from tests.mutation import (
    behaviour,
    facts,
    genuine_names,
    graph_calls,
    host_calls,
    outcomes,
    planted,
    python_objects,
    survey,
)

# How the facts about `behaviour.py` end.
_OF_BOTH = " of TensorFlow"
HOME = pathlib.Path(host_calls.__file__).parent


@pytest.mark.parametrize("name", facts.names())
def test_tables_agree(name: str) -> None:
    assert facts.find_contradictions(name) == []


@pytest.mark.timeout(600)
def test_calls_do_what_was_observed() -> None:
    ledger.rests_on(HOME / "host_calls.py", host_calls.RECORDED, pathlib.Path(__file__))
    # In a process of its own: pytest has handlers of the log.
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation.host_calls", "--compare"],
        cwd=HOME.parents[1],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "")


@pytest.mark.timeout(600)
def test_graphs_give_what_was_observed() -> None:
    pytest.importorskip("tensorflow")
    ledger.rests_on(
        HOME / "graph_calls.py", graph_calls.RECORDED, pathlib.Path(__file__)
    )
    assert graph_calls.observe() == graph_calls._recorded()


@pytest.mark.timeout(600)
def test_names_are_those_of_both() -> None:
    python = find_tf1()
    if python is None:
        pytest.skip("no TensorFlow 1.15.5")
    pytest.importorskip("tensorflow")
    ledger.rests_on(
        HOME / "genuine_names.py", genuine_names.RECORDED, pathlib.Path(__file__)
    )
    assert genuine_names.ask(str(python)) == genuine_names._recorded()


@pytest.mark.timeout(600)
def test_both_do_what_was_observed() -> None:
    python = find_tf1()
    if python is None:
        pytest.skip("no TensorFlow 1.15.5")
    pytest.importorskip("tensorflow")
    ledger.rests_on(HOME / "behaviour.py", behaviour.RECORDED, pathlib.Path(__file__))
    assert behaviour.ask(str(python)) == behaviour.recorded()


# -- controls ---------------------------------------------------------------------------


def test_another_observation_contradicts(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {'os.remove("x.txt")': frozenset({host_calls.STDOUT})}
    monkeypatch.setattr(host_calls, "recorded", lambda: wrong)
    assert len(host_calls.find_contradictions()) == 1
    assert not facts.holds("fact effects of calls")


@pytest.mark.parametrize("name", [n for n in facts.names() if n.endswith(_OF_BOTH)])
def test_a_planted_fault_contradicts(name: str) -> None:
    """The first part that is recorded as noticed by the fact."""
    part = next(n for n, fact in survey.killers().items() if fact == name)
    with planted.exchange_table(part) as works:
        assert works and facts.find_contradictions(name)
    assert facts.holds(name)


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        ('print("x")', {host_calls.STDOUT}),
        ('os.path.exists("extra.txt")', {host_calls.FILES}),
        ("random.random()", {host_calls.PYTHON_RANDOM}),
        ("abs(-1)", set()),
    ],
)
def test_effects_are_seen(call: str, seen: set[str]) -> None:
    assert host_calls.observe(call) == seen


def test_other_methods_contradict(monkeypatch: pytest.MonkeyPatch) -> None:
    from migrate.tables import host_effects

    pure = host_effects.PURE_METHODS - {"astype"} | {"append"}
    monkeypatch.setattr(host_effects, "PURE_METHODS", pure)
    wrong = python_objects.find_wrong_methods()
    assert [w.partition("(")[0] for w in wrong] == [
        "[3, 1, 2].append",
        "collections.deque",
        "numpy.array",
    ]


def test_a_fact_that_raises_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: Any) -> list[str]:
        raise ValueError

    monkeypatch.setattr(graph_calls, "find_other_numbers", fail)
    name = "fact numbers of arrays"
    assert not facts.holds(name)
    from tests.mutation import programs

    assert outcomes.outcome_of(programs.find(name)) != outcomes.PASSES
