"""Compares the record of the original with that of its migration, value by value."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

from reference.verify import counterparts, files, outputs, series
from reference.verify.points import compare_point, largest_change
from reference.verify.rows import Records, Row
from reference.verify.series import Point, Series
from reference.verify.sites import fetches
from reference.verify.tolerance import Allowed

# Counters that TensorFlow 1 kept for its own ends, and tf.distribute does not need.
NO_COUNTERPART = {
    "sync_rep_local_step": "SyncReplicasOptimizer's own counter of a worker's steps",
}


@dataclasses.dataclass
class Comparison:
    """All rows, and what had no counterpart.

    Attributes:
      rows: a row per value.
      old_only, new_only: values without a counterpart: sentences.
      steps: (of the original, of the migrated program).
    """

    rows: list[Row]
    old_only: list[str]
    new_only: list[str]
    steps: tuple[int, int]

    @property
    def wrong(self) -> list[Row]:
        """Rows that differ, the first to do so first.

        Of several, those of whole numbers come first: no rounding makes a step another.
        Slots come after variables, and what differs most first.
        """
        order = {"fetch": 0, "read": 1, "printed": 3, "file": 4}
        trained = {counterparts.base_name(r.name) for r in self.rows if r.trainable}
        return sorted(
            (row for row in self.rows if row.wrong),
            key=lambda r: (
                *(r.first, order.get(r.kind, 2), r.floats, _is_slot(r.name, trained)),
                *(-r.excess, r.name),
            ),
        )


def _is_slot(name: str, trained: set[str]) -> bool:
    """Whether a variable belongs to a trained one: an optimizer's, or an average."""
    parts = counterparts.base_name(name).split("/")
    # An optimizer's scope may stand between: dnn/logits/bias/t_0/Adagrad.
    return any("/".join(parts[:n]) in trained for n in range(1, len(parts)))


def aligned(records: Records) -> Records:
    """The records with steps that belong to each other.

    `sess.run(w.assign(value))` is a run of the original; its migration may assign without
    one. Where the programs do not give values in the same places, those steps are left
    out on both sides: what they have given is seen in the next one's variables.
    """
    old, new = records.first.steps, records.new.steps
    marks = [[bool(e.get("sets")) for e in steps] for steps in (old, new)]
    common = min(map(len, marks))
    if marks[0][:common] == marks[1][:common] or any(map(all, marks)):
        return records
    return records.each(lambda record: record.without_sets())


def share_models(records: Records) -> Records:
    """The records with one graph for what the migrated program trains as one model.

    TensorFlow 1's Estimator builds a graph for each training, and goes on from its last
    checkpoint. `Model.fit` trains one model again and again. Where all steps of a graph
    are those of one model, the graph is this model's.
    """
    pairs = {
        (old.get("graph", 0), new.get("graph", 0))
        for old, new in zip(records.first.steps, records.new.steps)
    }
    graphs = dict(pairs)
    if len(graphs) < len(pairs) or len(set(graphs.values())) == len(graphs):
        return records
    return dataclasses.replace(
        records.each(lambda record: record.with_graphs(graphs)), new=records.new
    )


def compare_workers(records: Records, workers: int) -> Comparison:
    """Compares what every worker computes, at its own steps."""
    whole = compare(records)
    for worker in range(1, workers):
        one = compare(records.each(operator.methodcaller("of_worker", worker)))
        for row in one.rows:
            row.name += f" (worker {worker})"
        whole.rows += one.rows
        for here, there in (
            (whole.old_only, one.old_only),
            (whole.new_only, one.new_only),
        ):
            here += [f"{text} (worker {worker})" for text in there if text not in here]
        old, new = one.steps
        whole.steps = whole.steps[0] + old, whole.steps[1] + new
    for worker in range(workers):
        rows, lost, added = outputs.compare_printed(records, worker)
        for row in rows:
            row.name += f" (worker {worker})" if worker else ""
        whole.rows += rows
        if not worker:  # What a process prints before its loops is the chief's here.
            whole.old_only, whole.new_only = (
                whole.old_only + lost,
                whole.new_only + added,
            )
    rows, lost, added = files.compare_files(records)
    whole.rows += rows
    whole.old_only, whole.new_only = whole.old_only + lost, whole.new_only + added
    return whole


def compare(records: Records) -> Comparison:
    """Compares every value of the two programs."""
    records = share_models(aligned(records))
    rows: list[Row] = []
    old_only: list[str] = []
    new_only: list[str] = []
    told = records.first.variables()
    news = records.new.variables()
    for part in (_variables, _results):
        rows += part(records, old_only, new_only)
    rows += fetches(records, old_only, new_only)
    for row in rows:
        if row.kind == "variable":
            name = counterparts.base_name(row.name)
            row.old_at = told.get(name, {}).get("at") or row.old_at
            row.new_at = news.get(name, {}).get("at") or row.new_at
            row.trainable = bool(told.get(name, {}).get("trainable"))
    for row in rows:
        old_only += sorted(row.notes)
    steps = len(records.first.steps), len(records.new.steps)
    if all((r.end or {})["reason"] == "enough" for r in (records.first, records.new)):
        steps = min(steps), min(steps)  # They were stopped.
    return Comparison(rows, old_only, new_only, steps)


def _variables(records: Records, old_only: list[str], new_only: list[str]) -> list[Row]:
    return _same_keys(records, series.variables, old_only, new_only)


def _results(records: Records, old_only: list[str], new_only: list[str]) -> list[Row]:
    return _same_keys(records, series.results, old_only, new_only)


def _same_keys(
    records: Records, of: Any, old_only: list[str], new_only: list[str]
) -> list[Row]:
    old, new = of(records.first), of(records.new)
    second = of(records.again)
    shifted = of(records.shifted) if records.shifted else {}
    told = records.first.variables()
    rows = []
    renamed = counterparts.pair_renamed(records.first, records.new, old, new)
    if not (records.first.end or {}).get("saved", True):
        renamed |= counterparts.pair_exchanged(records.first, records.new, old, new)
    taken = {key: new.pop(other) for key, other in renamed.items()}
    for key, other in renamed.items():
        if key in new:  # The name is another's there.
            new["variable", f"{key[1]} (of its own)"] = new.pop(key)
        new[key] = taken[key]
        old_only.append(
            f"variable {key[1]} is named {other[1]} in the migrated program: a checkpoint "
            "of the one has it under another name than the other's"
        )
    layout = counterparts.find_other_layout(records.first, records.new, old, new)
    scopes = {name.rpartition("/")[0] for _, name in layout}
    for key, other in renamed.items():  # Its parts may stand in another order, too.
        if key[1].rpartition("/")[0] in scopes:
            layout[key] = [other[1]]
    for key in sorted(old.keys() | new.keys()):
        kind, name = key
        if key in layout:
            old_only.append(
                f"{kind} {name}: the migrated program holds it in another layout, in "
                f"{', '.join(layout[key])}; what is computed from it is compared"
            )
        elif key not in new:
            reason = NO_COUNTERPART.get(name)
            if not reason and kind == "variable" and _is_constant(old[key].points):
                reason = (
                    "it has its initial value after every step: what would change it has "
                    "not run, and the migrated program makes it then"
                )
            text = f"{kind} {name}"
            old_only.append(f"{text} ({reason})" if reason else text)
            if not reason:
                rows.append(_absent(old[key], "the migrated program has none"))
        elif key not in old:
            new_only.append(f"{kind} {name}")
        else:
            early = _count_early(old[key], new[key]) if kind == "variable" else 0
            rows.append(
                _row(
                    records,
                    dataclasses.replace(old[key], points=old[key].points[early:]),
                    new[key].points,
                    second[key].points[early:] if key in second else [],
                    shifted[key].points[early:] if key in shifted else [],
                    kind == "variable" and not counterparts.is_trained(told, key),
                )
            )
    return rows


def _count_early(old: Series, new: Series) -> int:
    """Counts a variable's values before the migrated program makes the variable.

    TensorFlow 1 made an optimizer's slots with the graph, TensorFlow 2 makes them when
    it is first applied. Only values count that nothing has changed.
    """
    first = new.points[0].step
    early = [point for point in old.points if point.step < first]
    return len(early) if _is_constant(early) else 0


def _is_constant(points: list[Point]) -> bool:
    digests = {point.told.get("digest") for point in points}
    return len(digests) == 1 and None not in digests


def _absent(old: Series, what: str) -> Row:
    point = old.points[0]
    return Row(
        old.kind,
        old.name,
        first=point.step,
        what=f"{what} of that name",
        excess=float("inf"),
        old_at=point.at,
    )


def _row(
    records: Records,
    old: Series,
    new: list[Point],
    second: list[Point],
    shifted: list[Point],
    is_slot: bool,
) -> Row:
    row = Row(old.kind, old.name)
    allowed = Allowed(
        largest_change(records.first, [p.told for p in old.points]),
        is_slot=is_slot,
        is_result=old.kind in ("metric", "prediction"),
    )
    for i, (a, b) in enumerate(zip(old.points, new)):
        c = second[i].told if i < len(second) else None
        d = shifted[i].told if i < len(shifted) else None
        compare_point(row, records, a, b, c, d, allowed)
    if len(old.points) != len(new) and not row.wrong and old.kind != "variable":
        row.first = min(len(old.points), len(new))
        row.what = f"{len(old.points)} values in the original, {len(new)} here"
        row.excess = float("inf")
    return row
