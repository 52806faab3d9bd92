"""The tensors that a program's own hooks ask for, by names that its steps give them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.named_tensors import NamedTensors
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scope, Scopes
from migrate.frontends.callbacks.attributes import Attributes, Kept
from migrate.frontends.own_hooks.reasons import NotMapped
from migrate.frontends.sessions.displays import Displays
from migrate.program.binding_time import Analysis, list_every_flow
from migrate.program.code import Code, make_code, quote_text
from migrate.program.ir import Flow, Kind
from migrate.program.own_hooks import GLOBAL_STEP, SUMMARIES
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table
from migrate.tables.estimator import find_public
from migrate.tables.named_tensors import BY_GRAPH

_GIVEN = frozenset(
    {Kind.TENSOR, Kind.PLACEHOLDER, Kind.ELEMENT, Kind.SUMMARY, Kind.VARIABLE}
    | {Kind.SCHEDULE, Kind.PURE}
)
_BY_NAME = (
    "Pass the tensor itself to the hook, and request it in before_run: "
    "tf.train.SessionRunArgs(self._loss)."
)


class Graph:
    """The program whose session calls the hooks.

    Args:
      driver: what opens the session.
      tail: the session's statement and what follows it.
      synchronous: whether workers may keep pace.
    """

    def __init__(
        self,
        scopes: Scopes,
        analysis: Analysis,
        displays: Displays,
        flows: list[Flow],
        tail: list[ast.stmt],
        driver: ast.AST,
        synchronous: bool,
    ) -> None:
        self.synchronous = synchronous
        self.scopes, self.analysis, self.displays = scopes, analysis, displays
        self._linear, self._tail = list_every_flow(flows), tail
        inside = driver.body[0] if isinstance(driver, ast.FunctionDef) else None
        self._scope = scopes.find_scope(inside) if inside is not None else scopes.module
        self._rebound = set().union(set(), *[names.find_binds(s) for s in tail])
        self._named = NamedTensors(scopes, self._scope)

    def is_own(self, node: ast.expr) -> bool:
        """Whether all names of an expression are the driver's."""
        return all(
            self._find_owner(n) is self._scope
            or self.scopes.resolve(n) is not None
            or self._find_owner(n) is None
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Name)
        )

    def _find_owner(self, name: ast.Name) -> Scope | None:
        return self.scopes.find_scope(name).find_owner(name.id)

    def find_kind(self, node: ast.expr) -> Kind:
        """Returns the kind of an expression of the driver."""
        return self.analysis.find_kind(node)

    def resolve_tensor_name(self, node: ast.expr) -> ast.expr:
        """Returns the driver's expression for a tensor's name, else `node`."""
        if isinstance(node, ast.Call) and self._asks_a_graph(node):
            name = names.read_literal(names.find_argument(node, "name", 0))
        else:
            name = names.read_literal(node)
        if isinstance(name, str) and name.endswith(":0"):
            return self._named.find(name) or node
        return node

    def _asks_a_graph(self, call: ast.Call) -> bool:
        """`tf.get_default_graph().get_tensor_by_name`, or of a name for that graph."""
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr != BY_GRAPH:
            return False
        graph: ast.expr | None = func.value
        if isinstance(graph, ast.Name):
            made = self.find_graph(graph)
            graph = made.value if made is not None else None
        return isinstance(graph, ast.Call) and (
            self.scopes.resolve(graph.func) == "tf.get_default_graph"
        )

    def find_graph(self, graph: ast.Name) -> ast.Assign | None:
        """The statement of a method that binds a name only to ask a graph for tensors."""
        scope = self.scopes.find_scope(graph)
        bound = scope.bindings.get(graph.id, [])
        for node in walk_breadth_first(self.scopes.tree):
            if isinstance(node, ast.Name) and node.id == graph.id:
                if self._find_owner(node) is scope and isinstance(node.ctx, ast.Load):
                    if getattr(self.scopes.parents[node], "attr", "") != BY_GRAPH:
                        return None
        one = bound[0] if len(bound) == 1 else None
        method = self.scopes.parents[one] if isinstance(one, ast.Assign) else None
        if isinstance(one, ast.Assign) and isinstance(method, ast.FunctionDef):
            return one if len(one.targets) == 1 else None
        return None

    def check(self, node: ast.expr, made: ast.AST | None) -> Kind:
        """Returns the kind of a tensor that a step is to give.

        Args:
          made: the call that makes the hook, where it is given the tensor.

        Raises:
          NotMapped: no step can.
        """
        text = ast.unparse(node)
        literal = names.read_literal(node)
        if isinstance(literal, str):
            raise NotMapped(
                node, f"a hook names a tensor by a string, {literal!r}", _BY_NAME
            )
        if self.merges_all(node):
            if any(flow.kind is Kind.SUMMARY for flow in self._walk_flows_after(made)):
                raise NotMapped(node, "summaries are made after a hook has merged them")
            return Kind.SUMMARY
        kind = self.find_kind(node) if self.is_own(node) else Kind.HOST
        if kind not in _GIVEN:
            what = "runs an operation" if kind is Kind.OPERATION else "asks for"
            raise NotMapped(
                node, f"a hook {what} `{text}`, but no step of the session computes it"
            )
        parts = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context)
        if not all(isinstance(part, parts) for part in walk_breadth_first(node)):
            raise NotMapped(
                node,
                f"the call of the hook computes `{text}`, which the hook requests",
                "Compute the tensor in a statement before, and pass its name to "
                "the hook.",
            )
        read = names.find_reads(node)
        after = [flow.binds for flow in self._walk_flows_after(made)]
        if read & self._rebound.union(*after):
            raise NotMapped(
                node, f"a hook requests `{text}`, and this name has several values"
            )
        return kind

    def merges_all(self, node: ast.expr) -> bool:
        """`tf.summary.merge_all()`."""
        return (
            isinstance(node, ast.Call)
            and not (node.args or node.keywords)
            and self.scopes.resolve(node.func) == "tf.summary.merge_all"
        )

    def _walk_flows_after(self, made: ast.AST | None) -> Iterator[Flow]:
        """The graph's statements after the one in which a hook was made."""
        seen = False
        for flow in self._linear if made is not None else ():
            if seen and not flow.suites:
                yield flow
            seen = seen or any(
                node is made for node in walk_breadth_first(flow.statement)
            )


class Tensors:
    """Follows what the methods of one class fetch.

    Args:
      made: the calls that make its objects.

    Attributes:
      edits: what is written in place of what is fetched.
      found: expressions of the graph, by the names that steps give them.
      kinds: what these are.
      step: whether the global step is looked up.
      sometimes: whether some of what is fetched is added under a condition.
      plain: expressions that may read an attribute that holds what is fetched.
      gone: statements that only named the graph.
    """

    def __init__(
        self, class_: ast.ClassDef, graph: Graph, made: list[ast.Call]
    ) -> None:
        self._graph, self._made = graph, made
        self._scopes = graph.scopes
        self.attributes = Attributes(class_, graph.scopes)
        self.edits: dict[ast.AST, Code] = {}
        self.found: dict[str, ast.expr] = {}
        self.kinds: dict[str, Kind] = {}
        self.step = self.sometimes = False
        self.plain: set[ast.AST] = set()
        self.held: set[str] = set()
        self.gone: list[ast.stmt] = []
        self._asked: set[str] = set()

    def ask(self, node: ast.expr, method: ast.FunctionDef) -> set[str]:
        """Writes names in place of what an expression fetches; gives the names.

        Raises:
          NotMapped: it fetches something that no step gives.
        """
        self.plain.update(walk_breadth_first(node))
        if isinstance(node, (ast.List, ast.Tuple)):
            return set().union(set(), *[self.ask(e, method) for e in node.elts])
        if isinstance(node, ast.Dict) and None not in node.keys:
            return set().union(set(), *[self.ask(v, method) for v in node.values])
        if self.is_step(node):
            self.step = True
            self.edits[node] = make_code(quote_text(GLOBAL_STEP))
            self.kinds[GLOBAL_STEP] = Kind.VARIABLE
            return {GLOBAL_STEP}
        if isinstance(node, ast.Name) and self._is_local(node, method):
            return self._find_local(node, method)
        if isinstance(node, ast.Attribute) and _is_self(node.value, method):
            return self._find_attribute(node)
        return {self._find_tensor(node, node, None)}

    def is_step(self, node: ast.AST) -> bool:
        """Whether an expression looks up the global step."""
        if not isinstance(node, ast.Call):
            return False
        return find_public(self._scopes.resolve(node.func) or "") in table.GLOBAL_STEP

    def _find_tensor(
        self, node: ast.expr, place: ast.expr, made: ast.AST | None
    ) -> str:
        asked, node = node, self._graph.resolve_tensor_name(node)
        if node is not asked and isinstance(asked, ast.Call):
            assert isinstance(asked.func, ast.Attribute)
            graph = asked.func.value
            bound = (
                self._graph.find_graph(graph) if isinstance(graph, ast.Name) else None
            )
            if bound is not None and bound not in self.gone:
                self.gone.append(bound)
        kind = self._graph.check(node, made)
        name = SUMMARIES if self._graph.merges_all(node) else ast.unparse(node)
        self.found[name], self.kinds[name] = node, kind
        self.edits[place] = make_code(quote_text(name))
        return name

    def _is_local(self, node: ast.Name, method: ast.FunctionDef) -> bool:
        scope = self._scopes.find_scope(method.body[0])
        return self._scopes.find_scope(node).find_owner(node.id) is scope

    def _find_local(self, node: ast.Name, method: ast.FunctionDef) -> set[str]:
        """Asks for the tensors of a name that the method binds once, to its fetches."""
        uses = [
            n
            for n in walk_breadth_first(method)
            if isinstance(n, ast.Name) and n.id == node.id
        ]
        bound = [n for n in uses if not isinstance(n.ctx, ast.Load)]
        parent = self._scopes.parents[bound[0]] if len(bound) == 1 else None
        if not isinstance(parent, ast.Assign) or parent.targets != bound:
            raise _make_unknown_error(node)
        found = self.ask(parent.value, method)
        for use in uses:
            added = self._find_added_tensor(use)
            if added is not None:
                self.sometimes = True
                found |= self.ask(added, method)
            elif use is not bound[0] and not self._is_only_fetched(use):
                raise NotMapped(
                    use, f"a hook does more with `{use.id}` than to fetch it"
                )
        return found

    def _find_added_tensor(self, node: ast.expr) -> ast.expr | None:
        """Returns the tensor of `asked["x"] = tensor` or `asked.append(tensor)`."""
        parent = self._scopes.parents[node]
        outer = self._scopes.parents[parent]
        if isinstance(parent, ast.Subscript) and parent.value is node:
            if isinstance(outer, ast.Assign) and outer.targets == [parent]:
                return outer.value
        if isinstance(parent, ast.Attribute) and parent.attr == "append":
            if isinstance(outer, ast.Call) and len(outer.args) == 1:
                return outer.args[0]
        return None

    def _is_only_fetched(self, node: ast.expr) -> bool:
        parent = self._scopes.parents[node]
        while isinstance(parent, (ast.List, ast.Tuple, ast.Dict, ast.keyword)):
            parent = self._scopes.parents[parent]
        if isinstance(parent, (ast.Return, ast.Assign)):
            return True
        if not isinstance(parent, ast.Call):
            return _is_none_asked(parent)
        symbol = find_public(self._scopes.resolve(parent.func) or "")
        attribute = parent.func.attr if isinstance(parent.func, ast.Attribute) else ""
        return symbol in table.RUN_ARGS or attribute == "run"

    def _find_attribute(self, node: ast.Attribute) -> set[str]:
        """Returns the names of the tensors that `self.x` may hold."""
        kept = self.attributes.find_kept(node.attr)
        if not kept:
            raise _make_unknown_error(node)
        self.held.add(node.attr)
        found: set[str] = set()
        for one in kept:
            if one.value is None:
                raise _make_unknown_error(node)
            if node.attr in self._asked and one.value in self.edits:
                found |= self._find_names(one.value)
                continue
            name = one.value.id if isinstance(one.value, ast.Name) else ""
            own = [*one.method.args.args, *one.method.args.kwonlyargs]
            if any(a.arg == name for a in own):
                found |= self._find_parameter(node, one)
            elif one.method.name in ("__init__", "begin", "before_run"):
                found |= self.ask(one.value, one.method)
            else:
                raise _make_unknown_error(node)
        self._asked.add(node.attr)
        return found

    def _find_names(self, node: ast.expr) -> set[str]:
        text = self.edits[node].parts[0]
        return {ast.literal_eval(text)} if isinstance(text, str) else set()

    def _find_parameter(self, node: ast.Attribute, kept: Kept) -> set[str]:
        """Asks for the tensors that `__init__` gets, and an attribute holds."""
        arguments = kept.method.args
        assert isinstance(kept.value, ast.Name)
        name = kept.value.id
        if kept.method.name != "__init__":
            raise _make_unknown_error(node)
        for use in walk_breadth_first(kept.method):
            if isinstance(use, ast.Name) and use.id == name and use is not kept.value:
                if not _is_none_asked(self._scopes.parents[use]):
                    raise NotMapped(
                        use,
                        f"the __init__ of a hook does more with `{name}` than "
                        "to store it",
                    )
        places = [a.arg for a in arguments.args[1:]]
        position = places.index(name) if name in places else None
        found: set[str] = set()
        for call in self._made:
            starred = any(isinstance(a, ast.Starred) for a in call.args)
            if starred or any(k.arg is None for k in call.keywords):
                raise NotMapped(call, "the tool cannot tell the hook's arguments apart")
            value = names.find_argument(call, name, position)
            if value is not None and not is_none_constant(value):
                found |= self._read_argument(value, value, call)
        return found

    def find_values(self, kept: Kept) -> list[ast.expr]:
        """Returns the values that an attribute may hold; [] if not all are known."""
        if kept.value is None:
            return []
        name = kept.value.id if isinstance(kept.value, ast.Name) else ""
        places = [a.arg for a in kept.method.args.args[1:]]
        if name not in places:
            return [kept.value]
        given = [names.find_argument(c, name, places.index(name)) for c in self._made]
        found = [value for value in given if value is not None]
        return found if len(found) == len(given) else []

    def _read_argument(
        self, value: ast.expr, place: ast.expr, made: ast.Call
    ) -> set[str]:
        """An argument of the call that makes the hook."""
        if self.is_step(value):
            self.step = True
            self.edits[place] = make_code(quote_text(GLOBAL_STEP))
            self.kinds[GLOBAL_STEP] = Kind.VARIABLE
            return {GLOBAL_STEP}
        display = self._graph.displays.find_display(value)
        if isinstance(display, (ast.List, ast.Tuple, ast.Dict)) and None not in (
            getattr(display, "keys", ())
        ):
            items = display.values if isinstance(display, ast.Dict) else display.elts
            if display is value:
                return set().union(
                    set(), *[self._read_argument(v, v, made) for v in items]
                )
            if any(isinstance(v, (ast.List, ast.Tuple, ast.Dict)) for v in items):
                raise NotMapped(value, "the arguments of the hook are not written out")
            return self._read_named_container(value, display, made)
        return {self._find_tensor(value, place, made)}

    def _read_named_container(
        self,
        value: ast.expr,
        display: ast.List | ast.Tuple | ast.Dict,
        made: ast.Call,
    ) -> set[str]:
        """Reads a named list or dict: the hook gets one of tensors' names instead."""
        items = display.values if isinstance(display, ast.Dict) else display.elts
        tags = []
        for item in items:
            tags.append(self._find_tensor(item, item, made))
            del self.edits[item]
        quoted = [make_code(quote_text(tag)) for tag in tags]
        parts: list[str | ast.AST | Code] = []
        for index, tag in enumerate(quoted):
            parts.append(", " if index else "")
            if isinstance(display, ast.Dict):
                key = display.keys[index]
                assert key is not None
                parts += [key, ": "]
            parts.append(tag)
        marks = {ast.List: "[]", ast.Tuple: "()", ast.Dict: "{}"}[type(display)]
        comma = "," if isinstance(display, ast.Tuple) and len(items) == 1 else ""
        self.edits[value] = make_code(marks[0], *parts, comma + marks[1])
        return set(tags)

    def check_held(self) -> None:
        """Refuses a hook that does more with a tensor's attribute than to fetch it.

        Raises:
          NotMapped: something else is done with it.
        """
        for name in self.held:
            for node in self.attributes.reads(name):
                parent = self._scopes.parents[node]
                if node not in self.plain and not _is_none_asked(parent):
                    raise NotMapped(
                        node, f"a hook does more with `self.{name}` than to fetch it"
                    )


def _is_none_asked(parent: ast.AST) -> bool:
    """`x is None`."""
    return isinstance(parent, ast.Compare) and all(
        isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops
    )


def _is_self(node: ast.expr, method: ast.FunctionDef) -> bool:
    first = method.args.args[0].arg if method.args.args else ""
    return isinstance(node, ast.Name) and node.id == first


def _make_unknown_error(node: ast.expr) -> NotMapped:
    text = ast.unparse(node)
    return NotMapped(
        node,
        f"a hook requests `{text}`, and the tool cannot tell which step computes it",
    )
