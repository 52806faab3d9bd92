"""The suite's programs: what the evaluator finds is what TensorFlow 1.15.5 built.

No program may be wrong; one that the evaluator does not know says why. Faults that are planted in the
evaluator and in tables turn programs wrong.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import pytest

from migrate.evaluate import operators as arithmetic
from migrate.graph.record import Record
from migrate.graph.values import Value
from migrate.tfmodel import gradients, graphs, sessions, training, variables
from reference.genuine import compare, evaluation, projections, suite, tables

PROGRAMS = {p.key: p for p in suite.programs()}


_read = functools.cache(projections.read)


def _recorded(key: str) -> dict[str, Any]:
    program = PROGRAMS[key]
    return _read(program.group).get(program.name, {})


def _judge(key: str) -> compare.Verdict:
    program, projected = PROGRAMS[key], _recorded(key)
    m = evaluation.evaluate(program.root, program.path, projected)
    return compare.compare(m.record, projected, evaluation.collections_of(m))


@pytest.mark.parametrize("key", PROGRAMS)
def test_no_program_is_wrong(key: str) -> None:
    projected = _recorded(key)
    assert projected, "not recorded; see reference/genuine/__main__.py"
    assert projected["digest"] == projections.digest(PROGRAMS[key]), (
        "recorded before it changed"
    )
    if not tables.has_runs(projected):
        pytest.skip(
            f"no graph was recorded: {projected['error'] or projected['ended']}"
        )
    verdict = _judge(key)
    assert verdict.kind != "wrong", verdict.reason


# -- planted faults --


def _altered(name: str, change: Callable[[Any], Any]) -> Callable[..., Any]:
    """A fault: a function that a call of another's result changes."""

    def plant(patch: pytest.MonkeyPatch, module: Any) -> None:
        genuine = getattr(module, name)

        def wrong(*given: Any, **named: Any) -> Any:
            return change(genuine(*given, **named))

        patch.setattr(module, name, wrong)

    return plant


def _plant_name(patch: pytest.MonkeyPatch) -> None:
    _altered("_unique", lambda name: name and name.replace("_1", "_2"))(patch, graphs)


def _plant_control(patch: pytest.MonkeyPatch) -> None:
    _altered("control", lambda found: ())(patch, graphs)


def _plant_slots(patch: pytest.MonkeyPatch) -> None:
    row = training.OPTIMIZERS["tf.train.MomentumOptimizer"]
    wrong = dataclasses.replace(row, slots=())
    patch.setitem(training.OPTIMIZERS, "tf.train.MomentumOptimizer", wrong)


def _plant_feeds(patch: pytest.MonkeyPatch) -> None:
    _altered("_feeds", lambda found: found[:1] if found else found)(patch, sessions)


def _plant_operator(patch: pytest.MonkeyPatch) -> None:
    genuine = arithmetic.apply_binary

    def wrong(m: Any, kind: Any, left: Value, right: Value) -> Value:
        return genuine(m, kind, right, left)

    patch.setattr(arithmetic, "apply_binary", wrong)


def _plant_gradients(patch: pytest.MonkeyPatch) -> None:
    def fewer(found: Any) -> Any:
        reached, unknown = found
        moved = [v for v in reached if type(v).__name__ == "VariableValue"]
        return set(reached) - set(moved[:1]), unknown

    _altered("find_values_with_gradients", fewer)(patch, gradients)


def _plant_collection(patch: pytest.MonkeyPatch) -> None:
    genuine = graphs.collect

    def wrong(m: Any, key: str, *given: Any) -> None:
        genuine(m, "elsewhere" if key == "global_step" else key, *given)

    patch.setattr(graphs, "collect", wrong)


def _plant_trainable(patch: pytest.MonkeyPatch) -> None:
    genuine = variables.make

    def wrong(*given: Any, **named: Any) -> Any:
        return genuine(*given, **(named | {"trainable": True}))

    patch.setattr(variables, "make", wrong)


FAULTS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], str]] = {
    "names count otherwise": (_plant_name, "alone/interactive_softmax"),
    "control dependencies are lost": (_plant_control, "alone/averages_restored"),
    "an optimizer has no slots": (_plant_slots, "alone/averages_restored"),
    "feeds are lost": (_plant_feeds, "alone/averages_restored"),
    "operands are exchanged": (_plant_operator, "alone/averages_restored"),
    "a variable is not moved": (_plant_gradients, "alone/averages_restored"),
    "a collection has another name": (_plant_collection, "alone/averages_restored"),
    "what is not trained is": (_plant_trainable, "alone/averages_restored"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_wrong(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, key = FAULTS[fault]
    assert _judge(key).kind == "agrees"
    plant(monkeypatch)
    assert _judge(key).kind == "wrong"


# -- a projection that is another program's --


def _change_fetch(projected: dict[str, Any]) -> None:
    run = next(r for r in projected["graphs"][0]["runs"] if len(r["fetches"]) > 1)
    run["fetches"].reverse()


def _change_argument(projected: dict[str, Any]) -> None:
    calls = projected["graphs"][0]["calls"]
    row = next(r for r in calls if r["label"].endswith("reduce_sum_v1"))
    row["given"]["axis"] = 0


def _change_first_value(projected: dict[str, Any]) -> None:
    for row in projected["graphs"][0]["variables"]:
        if row["initial"][1] is not None:
            row["initial"][1] += 1


def _change_order(projected: dict[str, Any]) -> None:
    projected["graphs"][0]["variables"].reverse()


@pytest.mark.parametrize(
    "change", [_change_fetch, _change_argument, _change_first_value, _change_order]
)
def test_another_graph_is_wrong(change: Callable[[dict[str, Any]], None]) -> None:
    import copy

    key = "alone/averages_restored"
    program = PROGRAMS[key]
    projected = copy.deepcopy(_recorded(key))
    m = evaluation.evaluate(program.root, program.path, projected)
    assert compare.compare(m.record, projected).kind == "agrees"
    change(projected)
    assert compare.compare(m.record, projected).kind == "wrong"


def test_what_is_not_known_is_never_said_to_agree() -> None:
    from migrate.graph.record import Problem
    from migrate.graph.values import Origin

    record = Record(problems=[Problem("a reason", Origin("a.py", 3))])
    verdict = compare.compare(record, {"ended": "ended", "graphs": []})
    assert (verdict.kind, verdict.reason, verdict.place) == (
        "unknown",
        "a reason",
        "a.py:3",
    )


def test_the_genuine_graph_is_recorded_again(tf1: str) -> None:
    from reference.genuine import record

    key = "alone/averages_restored"
    found = record.record(tf1, suite.started(PROGRAMS[key]))
    assert found["graphs"] == _recorded(key)["graphs"]
