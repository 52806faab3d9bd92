"""Reads a run call's fetches: their structure, which have values, what they read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import LOADED_GRAPH
from migrate.frontends.runs.loop import Loop
from migrate.frontends.runs.named_fetches import explain_name
from migrate.frontends.sessions import plain as plain_sessions
from migrate.frontends.sessions.fetches import Leaf, spread
from migrate.program.binding_time import Analysis, Diagnostics
from migrate.program.code import Code, make_code
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import libraries, loaded_sessions, roles


def _may_build_graphs(module: str) -> bool:
    """Whether a module may be the program's own, or a library with graphs."""
    top = module.partition(".")[0]
    return top != "tensorflow" and top not in (
        libraries.WITHOUT_GRAPHS | sys.stdlib_module_names
    )


def _is_made_here(node: ast.expr) -> bool:
    """`v.assign(1.0).op`: the operation of an update that has no name."""
    return isinstance(node, ast.Attribute) and names.find_key(node) is None


def _find_part_name(node: ast.Attribute | ast.Subscript) -> object:
    """The name of an attribute, or the key of an element that is written out."""
    if isinstance(node, ast.Attribute):
        return "." + node.attr
    return names.read_literal(node.slice)


_CHECK = "assert_"
# Those that return something else than an operation.
_OTHERS = ("all_finite", "scalar", "float_dtype", "iterable")


def _is_check(symbol: str) -> bool:
    """Whether a function makes an operation that only checks or prints: `tf.Assert`."""
    module, _, name = symbol.rpartition(".")
    if module not in ("tf", "tf.debugging"):
        return False
    return name in ("Assert", "print") or (
        name.startswith(_CHECK) and not name.endswith(_OTHERS)
    )


class Fetched:
    """Reads fetches, and refuses those that no step function could give."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        loop: Loop,
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._loop = loop

    def read_leaves(self, fetches: ast.expr) -> tuple[str, list[Code], list[Leaf]]:
        """The structure of the fetches, a dict's keys, and what is fetched."""
        if spread(fetches):
            return "single", [], [Leaf(fetches, Kind.TENSOR)]
        if isinstance(fetches, (ast.List, ast.Tuple)):
            kind = "list" if isinstance(fetches, ast.List) else "tuple"
            return kind, [], [self._read_leaf(e) for e in fetches.elts]
        if isinstance(fetches, ast.Dict):
            return (
                "dict",
                [make_code(k) for k in fetches.keys if k is not None],
                [self._read_leaf(v) for v in fetches.values],
            )
        return "single", [], [self._read_leaf(fetches)]

    def _read_leaf(self, node: ast.expr) -> Leaf:
        if spread(node):
            return Leaf(node, Kind.TENSOR)
        if isinstance(node, (ast.List, ast.Tuple)):
            return Leaf(node, Kind.TENSOR, tuple(self._read_leaf(e) for e in node.elts))
        if isinstance(node, ast.Dict):
            return Leaf(
                node, Kind.TENSOR, tuple(self._read_leaf(e) for e in node.values)
            )
        kind = self._analysis.find_kind(node)
        if isinstance(node, ast.Constant):
            kind = Kind.HOST
        if isinstance(node, ast.Attribute) and node.attr == "initializer":
            kind = Kind.INITIALIZER_OP
        if kind is Kind.OPERATION and _is_made_here(node):
            kind = Kind.HOST  # A step gives nothing for it, and would not make it.
        if isinstance(node, ast.Call):
            if _is_check(self._scopes.resolve(node.func) or ""):
                kind = Kind.HOST
        elif self._is_named_check(node):
            kind = Kind.OPERATION
        return Leaf(node, kind)

    def _is_named_check(self, node: ast.expr) -> bool:
        """Whether a name stands for an operation that only checks or prints."""
        if not isinstance(node, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        return bool(bound) and all(
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Call)
            and _is_check(self._scopes.resolve(b.value.func) or "")
            for b in bound
        )

    def has_known_values(self, node: ast.expr) -> bool:
        """Whether it can be told what has a value: operations have none."""
        if spread(node):
            return False
        if self._analysis.find_kind(node) is Kind.OPERATION:
            return True
        return not any(
            isinstance(part, ast.expr)
            and self._analysis.find_kind(part) is Kind.OPERATION
            for part in walk_breadth_first(node)
        )

    def write_listed_value(self, structure: str, leaves: list[Leaf]) -> Code | None:
        """Writes a run of the list of all variables, or of a loop's variable of it."""
        if structure != "single" or not plain_sessions.is_local(
            self._scopes, self._loop.session
        ):
            return None
        node = leaves[0].node
        if self._is_list_of_all(node):
            return make_code("training_session.values(", node, ")")
        if not isinstance(node, ast.Name):
            return None
        around: ast.AST = node
        while around in self._scopes.parents and around is not self._loop.driver:
            around = self._scopes.parents[around]
            loops = [around] if isinstance(around, ast.For) else []
            for loop in [*loops, *getattr(around, "generators", [])]:
                if isinstance(loop.target, ast.Name) and loop.target.id == node.id:
                    listed = self._is_list_of_all(loop.iter)
                    return make_code(node, ".numpy()") if listed else None
        return None

    def _is_list_of_all(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._scopes.resolve(node.func) in (
            roles.TRAINABLE | roles.GLOBAL
        )

    def reads(self, call: ast.Call, leaves: list[Leaf]) -> set[str] | None:
        """Finds the names that the fetches read; None, with a refusal, if it cannot."""
        wanted: set[str] = set()
        own = self._loop.find_own_names(call)
        in_loop = own | self._find_names_bound_in_loop()
        for leaf in [inner for outer in leaves for inner in outer.walk_leaves()]:
            if (
                names.find_key(leaf.node) is not None
                and names.find_reads(leaf.node) & own
            ):
                self._diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"the run fetches `{ast.unparse(leaf.node)}`, a parameter of "
                    "the function that contains the run",
                    "Fetch the tensor by the name that it has in the module.",
                )
                return None
            late = (
                names.find_reads(leaf.node) & in_loop
                if names.find_key(leaf.node) is None
                else set()
            )
            if late:
                self._diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"what the run fetches depends on `{sorted(late)[0]}`, which "
                    "the loop binds",
                    "Feed it.",
                )
                return None
            builder = self._find_builder(leaf.node)
            if builder is not None:
                self._diagnostics.refuse(
                    "S109",
                    leaf.node,
                    f"the run fetches the result of `{builder}`, which makes "
                    "variables or layers",
                    "Call the function where the graph is built, and fetch its "
                    "result by name.",
                )
                return None
            if leaf.kind is Kind.HOST:
                reason, recipe = self._explain_unknown(leaf.node)
                self._diagnostics.refuse("S109", leaf.node, reason, recipe)
                return None
            wanted |= names.find_reads(leaf.node)
        return wanted

    def _explain_unknown(self, node: ast.expr) -> tuple[str, str]:
        """Explains why the origin of a fetched value is not known, and what to do."""
        shown = ast.unparse(node)
        loaded = self._find_loading(node)
        if loaded is not None:
            return (
                f"the run fetches `{shown}` of the graph that "
                f"`{ast.unparse(loaded)}` loads. {LOADED_GRAPH}",
                "Build the model here as its training program does, and restore its "
                "checkpoint: a migrated training program writes no .meta file. Or "
                "run this program in graph mode, with --fallback compat.",
            )
        named = explain_name(node, list(self._find_makers(node)), self._scopes)
        if named is not None:
            return named
        for call in self._find_makers(node):
            made = f"`{ast.unparse(call.func)}(...)` makes `{shown}`"
            if getattr(call.func, "attr", "") == "get_tensor_by_name":
                return (
                    f"{made}, and the tool does not see which tensor has that name",
                    "Give the tensor to a variable, and fetch that. If a file has the "
                    "graph, load the model with tf.saved_model.load, and call its "
                    "signature.",
                )
            module = self._scopes.import_path(call.func).rpartition(".")[0]
            if module and _may_build_graphs(module):
                return (
                    f"{made}, and the tool does not know the graph of its module "
                    f"`{module}`",
                    "Migrate the whole tree that contains this module, and not "
                    "this file alone. If the module itself is refused, correct "
                    "that first.",
                )
        loop = self._find_loop(node)
        if loop is not None:
            each = ast.unparse(loop.target)
            return (
                f"the run fetches `{shown}`, which is another tensor for each "
                f"object of the loop `for {each} in {ast.unparse(loop.iter)}`",
                "Make each object in a statement of its own, and fetch its tensors "
                "by the object's name: sess.run(first.op), sess.run(second.op).",
            )
        lines = sorted(self._find_lines(node))
        in_function = isinstance(self._loop.driver, ast.FunctionDef)
        if lines and in_function:
            return (
                f"the run fetches `{shown}`, which line {lines[-1]} makes, outside of "
                "the function that opens the session",
                "Make the tensor and open the session in the same function, or do "
                "both at module level.",
            )
        if lines:
            return (
                f"the run fetches `{shown}`, and the tool does not see which tensor "
                f"line {lines[-1]} makes",
                "Fetch a tensor made where the session is opened.",
            )
        part = max(self._find_parts(node), key=lambda n: n.lineno, default=None)
        if part is not None:
            return (
                f"the run fetches `{shown}`, and the tool does not see what makes it. "
                f"It may be `{ast.unparse(part)}`, which line {part.lineno} binds",
                "Make the tensor and open the session in the same function, or do "
                "both at module level. Call the code that makes it by its name.",
            )
        return (
            f"the run fetches `{shown}`, but no statement of this program's graph "
            "makes it",
            "Fetch a tensor made where the session is opened.",
        )

    def _find_loading(self, node: ast.expr) -> ast.expr | None:
        """Finds the call that loads the graph of a tensor fetched by its name."""
        loading = {n for n, s in self._scopes.walk_uses() if s in loaded_sessions.LOADS}
        for value in self._find_values(node) if loading else ():
            for call in walk_breadth_first(value):
                if isinstance(call, ast.Call) and (
                    call.func in loading
                    or getattr(call.func, "attr", "") in loaded_sessions.TAKES_BY_NAME
                ):
                    return min(loading, key=lambda n: n.lineno)
        return None

    def _find_loop(self, node: ast.expr) -> ast.For | None:
        """Finds the loop over objects that binds the object of a fetched attribute."""
        if not isinstance(node, ast.Attribute):
            return None
        base: ast.expr = node
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if not isinstance(base, ast.Name):
            return None
        around = self._scopes.parents.get(node)
        while around is not None:
            if isinstance(around, ast.For) and any(
                isinstance(n, ast.Name) and n.id == base.id
                for n in walk_breadth_first(around.target)
            ):
                return around
            around = self._scopes.parents.get(around)
        return None

    def _find_lines(self, node: ast.expr) -> Iterator[int]:
        """The lines of another scope that bind a name."""
        if isinstance(node, ast.Name):
            own = self._scopes.find_scope(node)
            owner = own.find_owner(node.id)
            if owner is None or owner is own:
                return
            for binding in owner.bindings[node.id]:
                if isinstance(binding, ast.Assign):
                    yield binding.lineno

    def _find_parts(self, node: ast.expr) -> Iterator[ast.Attribute | ast.Subscript]:
        """The targets of assignments that may be the attribute or element fetched.

        A method may have another name for the object, and a function for the dict.
        """
        for other in self._scopes.walk():
            if (
                isinstance(other, (ast.Attribute, ast.Subscript))
                and isinstance(other.ctx, ast.Store)
                and isinstance(node, (ast.Attribute, ast.Subscript))
                and _find_part_name(other) is not None
                and _find_part_name(other) == _find_part_name(node)
            ):
                yield other

    def _find_makers(self, node: ast.expr) -> Iterator[ast.Call]:
        """Finds the calls that made the object that an expression begins with."""
        for value in self._find_values(node):
            if isinstance(value, ast.Call):
                yield value

    def _find_values(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yields the values assigned to the name that an expression begins with."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        if not isinstance(node, ast.Name):
            return
        owner = self._scopes.find_scope(node).find_owner(node.id)
        for binding in owner.bindings[node.id] if owner is not None else ():
            value = getattr(binding, "value", None)
            if isinstance(value, ast.expr):
                yield value

    def _find_names_bound_in_loop(self) -> set[str]:
        """Names that the loop binds, and those that it changes, other than modules'."""
        imported = (ast.Import, ast.ImportFrom)
        found = set().union(set(), *[names.find_binds(s) for s in self._loop.tail])
        return found | {
            name
            for statement in self._loop.tail
            for name in names.find_mutations(statement)
            if not any(
                isinstance(b, imported)
                for b in self._scopes.module.bindings.get(name.partition(".")[0], [])
            )
        }

    def _find_builder(self, fetched: ast.expr) -> str | None:
        """A function in what is fetched that makes, or finds again, variables."""
        for node in walk_breadth_first(fetched):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            for made in reach.find_definitions(self._scopes, node.func):
                times = self._analysis.functions.get(made)  # type: ignore[call-overload]
                if times is not None and (times.staged or times.creates):
                    return node.func.id
        return None
