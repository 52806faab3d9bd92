"""A program's graphs, as small as a comparison allows."""

import collections

from .encode import encode

_HOLDS = ("VariableV2", "Variable", "VarHandleOp")
_RANDOM = (
    "RandomUniform",
    "RandomStandardNormal",
    "TruncatedNormal",
    "RandomUniformInt",
)
_PLACEHOLDERS = ("Placeholder", "PlaceholderWithDefault")
_CONSTANT = ("Const",)


class Projection:
    """The facts of one graph that are compared.

    Args:
      calls: all calls of the program, in order.
      runs: all runs, of any graph.
      base: the directory below which files are named.
      everything: all calls are kept, and say the operations that they added.
    """

    def __init__(self, graph, calls, runs, base, everything=False):
        self._graph, self._base, self._everything = graph, base, everything
        self._calls = [c for c in calls if c.graph is graph and c.last is not None]
        self._runs = [r for r in runs if r["graph"] is graph]
        self._owner = self._owners()
        self._holders = {v.op.name: v for v in _variables(graph)}
        self._index = {}

    def _owners(self):
        """Operation id -> the innermost call that added it."""
        owner = {}
        for call in self._calls:  # Outer calls begin before inner ones.
            for number in range(call.first + 1, call.last + 1):
                owner[number] = call
        return owner

    def made(self):
        """The projection as JSON has it."""
        self._index = {c: i for i, c in enumerate(self._reached())}
        runs = []
        for run in self._runs:
            row = {
                "line": self._place(run["at"]),
                "via": run["via"],
                "size": run["size"],
            }
            row["fetches"] = [self._reference(name) for name in run["fetches"]]
            row["feeds"] = [self._reference(name) for name in run["feeds"]]
            runs.append(row)
        placeholders = []
        for op in self._graph.get_operations():
            if op.type in _PLACEHOLDERS:
                placeholders.append(
                    [op.name, op.outputs[0].dtype.name, _shape(op.outputs[0])]
                )
        return {
            "variables": [self._variable(v) for v in self._holders.values()],
            "placeholders": placeholders,
            "runs": runs,
            "calls": [self._row(call) for call in self._index],
            "operations": len(self._graph.get_operations()),
        }

    def _reached(self):
        """The calls that the runs depend on, in order."""
        if self._everything:
            return self._calls
        work = []
        for run in self._runs:
            for name in run["fetches"] + run["feeds"]:
                element = self._element(name)
                if element is not None:
                    work.append(self._owner.get(getattr(element, "op", element)._id))
        found = set()
        while work:
            call = work.pop()
            if call is None or call in found:
                continue
            found.add(call)
            work.append(call.parent if call.parent in self._owner.values() else None)
            for element in self._needs(call):
                if self._of(element)[0] == "c":
                    work.append(self._owner.get(getattr(element, "op", element)._id))
        return [call for call in self._calls if call in found]

    def _operations(self, call):
        for number in range(call.first + 1, call.last + 1):
            op = self._graph._nodes_by_id.get(number)
            if op is not None and self._owner.get(number) is call:
                yield op

    def _needs(self, call):
        """Tensors, and operations that are waited for, of other calls; each once."""
        found = collections.OrderedDict()
        for op in self._operations(call):
            for element in list(op.inputs) + list(op.control_inputs):
                if self._owner.get(getattr(element, "op", element)._id) is not call:
                    found[element] = None
        return found

    def _row(self, call):
        row = {"label": call.label, "line": self._place(call.at), "given": call.given}
        row["result"] = call.result
        if call.parent in self._index:
            row["parent"] = self._index[call.parent]
        row["needs"] = [self._of(element) for element in self._needs(call)]
        ops = list(self._operations(call))
        row["types"] = sorted({op.type for op in ops} - set(_CONSTANT))
        if self._everything:
            row["added"] = [[op.type, op.name] for op in ops]
            row["outputs"] = {
                tensor.name: [tensor.dtype.base_dtype.name, _shape(tensor)]
                for op in ops
                for tensor in op.outputs
            }
        return row

    def _place(self, at):
        name, line = at
        return [name[len(self._base) :] if name.startswith(self._base) else name, line]

    def _variable(self, variable):
        collections_of = sorted(
            key
            for key in self._graph.get_all_collection_keys()
            if isinstance(key, str)
            and any(variable is one for one in self._graph.get_collection_ref(key))
        )
        return {
            "name": variable.op.name,
            "shape": _shape(variable),
            "dtype": variable.dtype.base_dtype.name,
            "trainable": bool(getattr(variable, "trainable", False)),
            "collections": collections_of,
            "device": variable.op.device,
            "initial": self._initial(variable),
        }

    def _initial(self, variable):
        """Finds what the first value depends on: draws, a constant, other variables."""
        try:
            start = variable.initial_value
        except Exception:
            return None
        if start is None:
            return None
        kinds, work, seen = set(), [start.op], set()
        while work:
            op = work.pop()
            if op in seen:
                continue
            seen.add(op)
            if (
                op.type in _RANDOM
                or op.type in _PLACEHOLDERS
                or op.type.startswith("Iterator")
            ):
                kinds.add(op.type)
            elif op.type in _HOLDS:
                kinds.add("variable " + op.name)
                continue
            work.extend(tensor.op for tensor in op.inputs)
        return [sorted(kinds), None if kinds else _constant(start)]

    def _element(self, name):
        try:
            return self._graph.as_graph_element(
                name, allow_tensor=True, allow_operation=True
            )
        except Exception:
            return None

    def _reference(self, name):
        """[kind, ...] of a tensor or operation that is named."""
        element = self._element(name)
        return ["?", name] if element is None else self._of(element)

    def _of(self, element):
        """`["v", variable]`, `["p", placeholder]`, `["c", row of its call, name]`."""
        op = getattr(element, "op", element)
        name = element.name if op is not element else "^" + op.name
        if op.type in _HOLDS:
            return ["v", op.name]
        if op.type in ("Identity", "ReadVariableOp") and op.inputs[0].op.type in _HOLDS:
            holder = op.inputs[0].op.name
            if op.name in (holder + "/read", holder + "/Read/ReadVariableOp"):
                return ["v", holder]
        if op.type in _PLACEHOLDERS:
            return ["p", op.name]
        return ["c", self._index.get(self._owner.get(op._id), -1), name]


def _variables(graph):
    """Every variable that a collection has, in the order in which they were made."""
    from tensorflow.python.ops import resource_variable_ops, variables

    found = {}
    for key in graph.get_all_collection_keys():
        for one in graph.get_collection(key):
            if isinstance(
                one, (variables.Variable, resource_variable_ops.BaseResourceVariable)
            ):
                if hasattr(one, "op") and one.op is not None and one.op.graph is graph:
                    found[one.op._id] = one
    return [found[number] for number in sorted(found)]


def _shape(tensor):
    shape = tensor.get_shape()
    return None if shape.ndims is None else shape.as_list()


def _constant(tensor):
    from tensorflow.python.framework import tensor_util

    try:
        value = tensor_util.constant_value(tensor)
    except Exception:
        value = None
    if value is None:
        return None
    flat = value.ravel()
    if flat.size and all(flat == flat[0]):
        return encode(flat[0])
    return "array"
