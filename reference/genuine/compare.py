"""Compares what the evaluator found of a program with the graph that TensorFlow 1.15.5 built.

Hard equality: variables (order, name, shape, type, trainable, device, first value), placeholders, each
run's fetches and feeds. Then the slice that each fetch depends on, call by call: the function, its
arguments, what it depends on; and which effects a fetch has. A graph's calls are matched with nodes
from the fetches on; nothing is matched by its name alone.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from migrate.graph.record import Node, Record, Run
from migrate.graph.values import Operation, Tensor, Tuple, Unknown, Value, VariableValue
from reference.genuine.record import Projected
from reference.genuine.values import Encoded, Unsure, Wrong, check, check_shape
from reference.genuine.variables import compare_variable

# Operations with an effect; what makes a variable assigns to it, too.
_EFFECTS = (
    *("Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"),
    *("AssignAdd", "AssignSub", "ScatterUpdate", "ScatterAdd", "ScatterSub"),
    *("Print", "PyFunc"),
)
_MAKES = {"VariableV2", "VarHandleOp"}
# Placeholders that a Saver makes.
_SAVERS = re.compile(r"(^|/)save(_\d+)?/(filename|Const)$")
# Calls that call other functions of TensorFlow, which the evaluator sees one by one.
_COMPOSED = frozenset(
    {
        "contrib/layers/python/layers/layers:stack",
        "contrib/layers/python/layers/layers:repeat",
    }
)
# The states of cells within cells, which are asked for one by one.
_ZERO_STATES = re.compile(r"(MultiRNNCell|Wrapper\w*)\.zero_state$")
_ADAPTERS = re.compile(r"DatasetV[12](Adapter)?\.")
_MIRRORED = re.compile(r"^operator:r(?=(add|sub|mul|truediv|floordiv|mod|pow|matmul)$)")
_OTHER_NAMES = {
    "operator:neg": "python/ops/gen_math_ops:neg",
    "operator:abs": "python/ops/math_ops:abs",
    "python/ops/rnn_cell_impl:LayerRNNCell.__call__": (
        "python/ops/rnn_cell_impl:RNNCell.__call__"
    ),
}
_READS = (".value", ".read_value")
_HOOKED = re.compile(r":_(Monitored|Coordinated)Session\.run")
# Whose runs are the program's own: its sessions', and those of `eval` and `run`.
_OWN = re.compile(
    r"^$|platform/app:run|:Tensor\.eval|:Operation\.run|Variable.*\.eval"
    r"|:_MonitoredSession\.run|:_CoordinatedSession\.run"
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """ "agrees", "wrong" or "unknown", and why not the first."""

    kind: str
    reason: str = ""
    place: str = ""


def compare(
    record: Record,
    projected: Projected,
    collections_of: Mapping[int, list[str]] | None = None,
) -> Verdict:
    """Compares the evaluator's record with a genuine projection.

    Args:
      collections_of: the collections of each variable; None: they are not compared.
    """
    if record.problems:
        problem = record.problems[0]
        place = f"{problem.origin.file}:{problem.origin.line}"
        return Verdict("unknown", problem.reason, place)
    for run in record.runs:
        unknown = _find_unknown((*run.fetches, *(run.feeds or ())))
        if unknown is not None:
            place = f"{run.origin.file}:{run.origin.line}"
            return Verdict("unknown", unknown.reason, place)
    try:
        for one in _pair_graphs(record, projected):
            one.compare()
            if collections_of is not None and one.ended:
                one.compare_collections(collections_of)
    except Unsure as error:
        return Verdict("unknown", str(error))
    except Wrong as error:
        return Verdict("wrong", str(error))
    return Verdict("agrees")


def _find_unknown(found: Iterable[Value]) -> Unknown | None:
    """The first value that nobody knows."""
    for value in found:
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Tuple) and (below := _find_unknown(value.items)):
            return below
    return None


def _pair_graphs(record: Record, projected: Projected) -> Iterator[Comparison]:
    """Graphs in the order in which the program comes to them."""
    ended = projected["ended"] == "ended"
    made = {r.graph for r in record.runs} | {v.graph for v in record.variables}
    found = [g for g in projected["graphs"] if g["variables"] or _own_runs(g)]
    if len(made) < len(found) or (ended and len(made) != len(found)):
        raise Wrong(f"{len(found)} graphs are {len(made)} to the evaluator")
    for number, graph in zip(sorted(made), found):
        yield Comparison(record, number, graph, ended)


def _own_runs(graph: Projected) -> list[Projected]:
    return [r for r in graph["runs"] if _OWN.search(r["via"])]


class Comparison:
    """One graph's.

    Attributes:
      ended: the program was recorded to its end: nothing more is in the record than in the graph.
    """

    def __init__(
        self, record: Record, number: int, graph: Projected, ended: bool
    ) -> None:
        self.record, self.number, self.graph, self.ended = record, number, graph, ended
        self._calls: list[Projected] = graph["calls"]
        self._variables = [v for v in record.variables if v.graph == number]
        self._nodes: dict[int, int] = {}
        self._rows: dict[int, int] = {}
        self._named = self._find_names()
        self._below: dict[int, list[Node]] = collections.defaultdict(list)
        for node in record.nodes:
            if node.parent >= 0:
                self._below[node.parent].append(node)

    def compare(self) -> None:
        """Raises `Wrong` or `Unsure` at the first difference."""
        self._compare_variables()
        self._compare_placeholders()
        self._compare_runs()

    def _find_names(self) -> dict[str, Encoded]:
        """Names of tensors and operations -> what they are of."""
        found: dict[str, Encoded] = {}
        for row in (*self._calls, *self.graph["runs"]):
            for reference in (*row.get("needs", ()), *row.get("fetches", ())):
                if reference[0] == "c":
                    found[reference[2]] = reference
        for index, row in enumerate(self._calls):
            result = row["result"]
            if isinstance(result, list) and result[:1] == ["t"]:
                found.setdefault(result[1], ["c", index, result[1]])
        for name, _, _ in self.graph["placeholders"]:
            found[f"{name}:0"] = ["p", name]
        return found

    # Variables and placeholders.

    def _compare_variables(self) -> None:
        found = self.graph["variables"]
        if len(found) > len(self._variables) or (
            self.ended and len(found) != len(self._variables)
        ):
            missing = {row["name"] for row in found} - {v.name for v in self._variables}
            more = {v.name for v in self._variables} - {row["name"] for row in found}
            raise Wrong(
                f"{len(found)} variables are {len(self._variables)} to the evaluator: "
                f"missing {sorted(missing)[:3]}, too many {sorted(map(str, more))[:3]}"
            )
        for variable, row in zip(self._variables, found):
            compare_variable(variable, row)

    def compare_collections(self, known: Mapping[int, list[str]]) -> None:
        """Raises `Wrong` where a variable is in other collections."""
        for variable, row in zip(self._variables, self.graph["variables"]):
            mine = known.get(variable.number, [])
            if mine != row["collections"]:
                raise Wrong(f"{row['name']} is in {row['collections']}, not {mine}")

    def _compare_placeholders(self) -> None:
        known = [p for p in self.record.placeholders if p.graph == self.number]
        found = [
            row for row in self.graph["placeholders"] if not _SAVERS.search(row[0])
        ]
        if len(found) > len(known) or (self.ended and len(found) != len(known)):
            raise Wrong(f"{len(found)} placeholders are {len(known)} to the evaluator")
        for one, (name, dtype, shape) in zip(known, found):
            if one.name is None or one.dtype is None:
                raise Unsure("the name or the type of a placeholder")
            if (one.name, one.dtype) != (name, dtype):
                raise Wrong(f"placeholder {name} {dtype} is {one.name} {one.dtype}")
            if not check_shape(one.shape, shape):
                raise Wrong(
                    f"placeholder {name} has the shape {shape}, not {one.shape}"
                )

    # Runs.

    def _compare_runs(self) -> None:
        left = [r for r in self.record.runs if r.graph == self.number]
        used: set[int] = set()
        asked: set[Any] = set()
        for row in _own_runs(self.graph):
            place = (*row["line"], row["via"])
            try:
                used.add(self._match_run(left, row))
            except Wrong:
                # A hook asks, too, at the line of the run that it follows.
                if not (place in asked and _HOOKED.search(row["via"])):
                    raise
            asked.add(place)
        if not self.ended:
            return
        same = {_summary(left[i]) for i in used}
        for run in left:
            if _summary(run) not in same and not run.guard and not run.via:
                raise Wrong(
                    f"line {run.origin.line}: a run that TensorFlow was not asked for"
                )

    def _match_run(self, runs: list[Run], row: Projected) -> int:
        """The number of the evaluated run that a genuine one is; its slices agree."""
        file, line = row["line"]
        near = [
            i
            for i, r in enumerate(runs)
            if r.origin.file == file and r.origin.line <= line
        ]
        if not near:
            raise Wrong(f"{file}:{line}: a run that the evaluator has not")
        first = max(runs[i].origin.line for i in near)
        near = [i for i in near if runs[i].origin.line == first]
        errors: list[Wrong] = []
        tried: set[Any] = set()
        for index in near:
            if _summary(runs[index]) in tried:
                continue
            tried.add(_summary(runs[index]))
            pairs = dict(self._nodes), dict(self._rows)
            try:
                self._compare_run(runs[index], row)
                return index
            except Wrong as error:
                errors.append(error)
                self._nodes, self._rows = pairs
        raise Wrong(f"{file}:{line}: {errors[0]}")

    def _compare_run(self, run: Run, row: Projected) -> None:
        if len(run.fetches) != len(row["fetches"]):
            raise Wrong(f"{len(row['fetches'])} fetches are {len(run.fetches)}")
        if run.feeds is None:
            raise Unsure("the evaluator does not know what the run feeds")
        feeds = sorted(self._name_feed(feed) for feed in run.feeds)
        if feeds != sorted(_name_reference(r) for r in row["feeds"]):
            raise Wrong(
                f"feeds {[_name_reference(r) for r in row['feeds']]} are {feeds}"
            )
        for value, reference in zip(run.fetches, row["fetches"]):
            self.unify(value, reference)
            self._compare_effects(value, reference)

    def _name_feed(self, value: Value) -> str:
        if isinstance(value, (Tensor, VariableValue)) and value.name is not None:
            return value.name.removesuffix(":0")
        raise Unsure("the evaluator does not know the name of a fed tensor")

    # Slices.

    def unify(self, value: Value, reference: Encoded) -> None:
        """A value is what a reference says, and all that it depends on."""
        kind = reference[0]
        if kind == "v":
            self._unify_variable(value, reference[1])
        elif kind == "p":
            if not isinstance(value, Tensor):
                check(value, ["t", reference[1]], self._refuse)
            elif value.name is None:
                raise Unsure("the name of a placeholder")
            elif value.name != f"{reference[1]}:0":
                raise Wrong(f"placeholder {reference[1]} is {value.name}")
        elif kind == "c" and reference[1] >= 0:
            self._unify_call(value, reference[1], reference[2])

    def _unify_variable(self, value: Value, name: str) -> None:
        if isinstance(value, Tensor):
            # The value of a variable, read by a call of its own.
            node = self.record.nodes[value.node]
            if node.label.endswith(_READS):
                value = node.given.get("self", value)
        if not isinstance(value, VariableValue):
            check(value, ["v", name], self._refuse)
            raise Wrong(f"variable {name} is {value}")
        if value.name is None:
            raise Unsure("the name of a variable")
        if value.name != name:
            raise Wrong(f"variable {name} is {value.name}")

    def _refuse(self, value: Value, found: Encoded) -> None:
        raise Wrong(f"{found} is {value}")

    def _unify_call(self, value: Value, index: int, name: str) -> None:
        if not isinstance(value, (Tensor, Operation)):
            if isinstance(value, VariableValue) and "/" in name:
                return  # What a variable's own call adds: its assignment, its value.
            check(value, ["t", name], self._refuse)
            raise Wrong(f"{name} is {value}")
        row, node = self._calls[index], self.record.nodes[value.node]
        if node.label.startswith("regularizer:"):
            return
        known = self._nodes.get(node.number)
        if known is not None:
            if known != index:
                raise Wrong(f"{name} and {self._calls[known]['result']} are one node")
            return
        if self._rows.get(index, -1) >= 0:
            raise Wrong(f"{name} is two nodes")
        self._nodes[node.number], self._rows[index] = index, node.number
        place = f"line {node.origin.line}: "
        if row["label"] in _COMPOSED or _ZERO_STATES.search(row["label"]):
            self._nodes[node.number], self._rows[index] = index, -1
            return
        of_variable = "a" in row["given"]
        if _plain(node.label, of_variable) != _plain(row["label"], of_variable):
            raise Wrong(f"{place}{row['label']} is {node.label}")
        try:
            self._compare_arguments(node, row)
        except Wrong as error:
            told = str(error)
            if not told.startswith("line "):
                told = f"{place}{node.symbol}: {told}"
            raise Wrong(told) from None

    def _compare_arguments(self, node: Node, row: Projected) -> None:
        if node.label.endswith("variables_initializer"):
            _compare_initialised(node, row)
        given: dict[str, Encoded] = row["given"]
        if set(given) == {"a", "args"} and {"x", "y"} <= set(node.given):
            # A variable's operator, `__add__` or `__radd__`.
            sides = ("y", "x") if node.label.startswith("operator:r") else ("x", "y")
            given = dict(zip(sides, (given["a"], *given["args"][1:])))
        for parameter, value in node.given.items():
            if parameter in given and parameter != "name":
                check(value, given[parameter], self._check_tensor)
        for parameter, found in given.items():
            if parameter not in node.given and _has_tensor(found):
                if node.given and parameter not in ("args", "a", "self"):
                    raise Wrong(f"the argument {parameter} is not known")

    def _check_tensor(self, value: Value, found: Encoded) -> None:
        kind = found[0] if isinstance(found, list) and found else None
        if kind == "v":
            self._unify_variable(value, found[1])
        elif kind in ("t", "op"):
            reference = self._named.get(found[1] if kind == "t" else "^" + found[1])
            if reference is not None and not (
                isinstance(value, VariableValue) and reference[0] == "c"
            ):
                self.unify(value, reference)
        elif isinstance(value, VariableValue) and kind in ("o", "l", "pv"):
            return
        else:
            raise Wrong(f"a tensor is {found}")

    # Effects.

    def _compare_effects(self, value: Value, reference: Encoded) -> None:
        if reference[0] != "c" or reference[1] < 0 or _is_first(reference[2]):
            return
        rows = self._reach_rows(reference[1])
        genuine = collections.Counter(
            self._calls[i]["label"] for i in rows if _has_effect(self._calls[i])
        )
        labels = {row["label"] for row in self._calls if _has_effect(row)}
        known = collections.Counter(
            self.record.nodes[n].label
            for n in self._reach_nodes(value)
            if self._may_have_effect(n, labels)
        )
        if genuine != known:
            raise Wrong(f"effects {dict(genuine)} are {dict(known)}")

    def _may_have_effect(self, number: int, labels: set[str]) -> bool:
        """Whether the call that a node is, or by its place seems to be, has one."""
        if number in self._nodes:
            return _has_effect(self._calls[self._nodes[number]])
        node = self.record.nodes[number]
        if node.label not in labels:
            return False
        file, line = node.origin.file, node.origin.line
        # Python 3.7 gives a call the line of its last argument.
        after = [
            row
            for row in self._calls
            if row["label"] == node.label
            and row["line"][0] == file
            and row["line"][1] >= line
        ]
        if not after:
            return not any(row["label"] in _COMPOSED for row in self._calls)
        return _has_effect(min(after, key=lambda row: row["line"][1]))

    def _reach_rows(self, start: int) -> set[int]:
        found: set[int] = set()
        work = [start]
        while work:
            index = work.pop()
            if index not in found and index >= 0:
                found.add(index)
                needs = self._calls[index]["needs"]
                work += [n[1] for n in needs if n[0] == "c" and not _is_first(n[2])]
        return found

    def _reach_nodes(self, start: Value) -> set[int]:
        found: set[int] = set()
        work = list(_leaves([start]))
        while work:
            number = work.pop()
            if number in found or number < 0:
                continue
            found.add(number)
            node = self.record.nodes[number]
            work += _leaves((*node.given.values(), *node.needs, *node.after))
            for below in self._below[number]:
                work += _leaves((*below.given.values(), *below.needs, *below.after))
        return found


def _leaves(given: Iterable[Value]) -> Iterator[int]:
    """Nodes of tensors and operations among values."""
    for value in given:
        if isinstance(value, (Tensor, Operation)):
            yield value.node
        elif isinstance(value, Tuple):
            yield from _leaves(value.items)


def _plain(label: str, of_variable: bool) -> str:
    """A label without what differs between a class and the one that it is made of.

    Args:
      of_variable: it may be a variable's operator.
    """
    label = _OTHER_NAMES.get(label, label)
    if of_variable:
        # Older recordings do not say on which side it stands.
        label = _MIRRORED.sub("operator:", label)
    return _ADAPTERS.sub("Dataset.", label)


def _is_first(name: str) -> bool:
    """Whether an operation gives a variable its first value."""
    return name.startswith("^") and name.endswith(("/Assign", "/AssignVariableOp"))


def _compare_initialised(node: Node, row: Projected) -> None:
    """Compares the variables that an initializer sets."""
    found = {
        n[2][1:].rpartition("/")[0]
        for n in row["needs"]
        if n[0] == "c" and _is_first(n[2])
    }
    given = (*node.needs, *node.given.values())
    work, known = list(given), set()
    while work:
        value = work.pop()
        if isinstance(value, Tuple):
            work += value.items
        elif isinstance(value, VariableValue):
            if value.name is None:
                raise Unsure("the name of a variable")
            known.add(value.name)
    if found != known:
        raise Wrong(
            f"{node.symbol}: {sorted(found - known)[:2]} missing, "
            f"{sorted(known - found)[:2]} too many"
        )


def _has_effect(row: Projected) -> bool:
    types = row["types"]
    if any(t.startswith(_EFFECTS) for t in types):
        return True
    return "Assign" in types and not _MAKES & set(types)


def _has_tensor(found: Encoded) -> bool:
    if not isinstance(found, list) or not found:
        return False
    return found[0] in ("t", "op") or (
        found[0] == "l" and any(map(_has_tensor, found[1:]))
    )


def _name_reference(reference: Encoded) -> str:
    name = str(reference[2] if reference[0] == "c" else reference[1])
    return name.removesuffix(":0")


def _summary(run: Run) -> tuple[Any, ...]:
    return run.origin.file, run.origin.line, run.fetches, run.feeds
