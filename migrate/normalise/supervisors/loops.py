"""TF1 to TF1: what a Supervisor calls by time, as a function beside the training loop.

    sv.loop(60, print_loss, (sess, loss))

What such a function runs is computed by a step function, and these stand where the graph
is. So it becomes a function of that place, by the names which that place has for the
session, the Supervisor and the tensors that it was given:

    def print_loss():
        print(sess.run(loss))
    sv.loop(60, print_loss)
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.estimator_calls import is_partial
from migrate.facts.scopes import Scope, Scopes
from migrate.normalise.calls.inliner import find_names_bound_within
from migrate.normalise.supervisors.callees import is_supervisor
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import list_children, walk_breadth_first

_METHODS = ("loop", "Loop")
PARAMETERS = ("timer_interval_secs", "target", "args", "kwargs")
# Methods of a session, or of what is given one.
_OF_SESSION = frozenset({"run", "eval", "save", "restore", "summary_computed"})
_OUTSIDE = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
_DEFINITIONS = (
    *(ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.ExceptHandler),
)
# More than any program has.
_ROUNDS = 20


def inline_loops(text: Text) -> Text:
    """The text with the functions that run the session beside its loop."""
    if not any(f".{method}(" in text.source for method in _METHODS):
        return text
    for _ in range(_ROUNDS):
        new = _Loops(text).bring_first()
        if new is None:
            return text
        text = new
    return text


def runs(function: ast.AST, scopes: Scopes) -> bool:
    """Whether a function may run a session that it is given."""
    return any(
        isinstance(n, ast.Attribute)
        and n.attr in _OF_SESSION
        and not _is_of_module(n, scopes)
        for n in walk_breadth_first(function)
    )


def _is_of_module(node: ast.Attribute, scopes: Scopes) -> bool:
    """Whether it is a function of an imported module: `subprocess.run`."""
    root: ast.AST = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    owner = scopes.find_scope(root).find_owner(root.id)
    bound = owner.bindings[root.id] if owner is not None else []
    return bool(bound) and all(
        isinstance(b, (ast.Import, ast.ImportFrom)) for b in bound
    )


@dataclasses.dataclass(frozen=True)
class _Loop:
    """A call of `sv.loop`, and the function of the file that it is given.

    Attributes:
      statement: it stands alone in it.
      call: the call.
      target: the argument that names the function.
      function: that.
      given: the function's arguments by its parameters.
      late: the arguments are computed anew whenever it is called: those of a lambda.
    """

    statement: ast.Expr
    call: ast.Call
    target: ast.expr
    function: ast.FunctionDef
    given: dict[str, ast.expr]
    late: bool


class _Loops(ParsedText):
    def bring_first(self) -> Text | None:
        """The text with one more function moved; None if none is left to move."""
        for node in walk_breadth_first(self._tree):
            loop = self._find_loop(node) if isinstance(node, ast.Expr) else None
            if loop is not None and self._runs(loop) and self._may_be(loop):
                new = self._bring_loop(loop)
                if new is not None:
                    return new
        return None

    def _find_loop(self, statement: ast.Expr) -> _Loop | None:
        call = statement.value
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in _METHODS
            and self._is_supervisor(call.func.value)
            and self._text.is_alone(statement)
        ):
            return None
        bound = names.bind_arguments(call, PARAMETERS)
        if bound is None or "target" not in bound:
            return None
        target, late = bound["target"], False
        args = list(getattr(bound.get("args"), "elts", ()))
        named: list[ast.keyword] = []
        if isinstance(target, ast.Lambda):
            # `lambda: print_loss(sess)` is the function itself.
            inner = target.body
            if ast.unparse(target.args) or "args" in bound:
                return None
            if not isinstance(inner, ast.Call):
                return None
            named_, late = inner.func, True
            args, named = list(inner.args), list(inner.keywords)
        elif isinstance(target, ast.Call):
            # functools.partial(print_loss, sess)
            if not target.args or not is_partial(target.func, self._scopes):
                return None
            named_ = target.args[0]
            args, named = [*target.args[1:], *args], list(target.keywords)
        else:
            named_ = target
        function = self._find_function(named_)
        if function is None or "kwargs" in bound:
            return None
        if "args" in bound and not isinstance(bound["args"], (ast.Tuple, ast.List)):
            return None
        given = self._match_arguments(function, args, named)
        if given is None:
            return None
        return _Loop(statement, call, target, function, given, late)

    def _is_supervisor(self, node: ast.expr) -> bool:
        return is_supervisor(self._scopes, node)

    def _find_function(self, node: ast.expr) -> ast.FunctionDef | None:
        if not isinstance(node, ast.Name):
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        found = bound[0] if len(bound) == 1 else None
        return found if isinstance(found, ast.FunctionDef) else None

    def _match_arguments(
        self,
        function: ast.FunctionDef,
        args: list[ast.expr],
        named: list[ast.keyword],
    ) -> dict[str, ast.expr] | None:
        """The arguments by parameter; None if they cannot be told apart."""
        own = function.args
        if own.vararg or own.kwarg or own.kwonlyargs or function.decorator_list:
            return None
        parameters = tuple(a.arg for a in [*own.posonlyargs, *own.args])
        call = ast.Call(function, args, named)  # type: ignore[arg-type]
        bound = names.bind_arguments(call, parameters)
        missing = set(parameters[: len(parameters) - len(own.defaults)])
        if bound is None or not missing <= bound.keys():
            return None
        return bound

    def _runs(self, loop: _Loop) -> bool:
        """Whether it may run the session, and does not stand beside its loop yet."""
        if loop.function in self._find_suite(loop.statement):
            return False
        return runs(loop.function, self._scopes) or any(
            self._is_supervisor(value) for value in loop.given.values()
        )

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        return names.find_suite(self._scopes.parents[statement], statement) or []

    def _may_be(self, loop: _Loop) -> bool:
        """Whether its names mean the same where the loop is."""
        function, scopes = loop.function, self._scopes
        if function.body[0].lineno == function.lineno:
            return False
        here = scopes.find_scope(loop.call)
        whole = set(walk_breadth_first(function))
        for node in whole:
            if isinstance(node, _OUTSIDE):
                return False
            if isinstance(node, ast.Name):
                owner = scopes.find_scope(node).find_owner(node.id)
                inside = owner is not None and owner.node in whole
                if not inside and here.find_owner(node.id) is not owner:
                    return False
        return True

    def _is_only_fetched(self, function: ast.FunctionDef, parameter: str) -> bool:
        """Whether a parameter is only what a session runs."""
        return all(
            isinstance(call := self._scopes.parents[node], ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "run"
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Name) and node.id == parameter
        )

    def _is_fixed(self, value: ast.expr, loop: _Loop) -> bool:
        """Whether a name means the same in every call as it did where it was given."""
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, (ast.List, ast.Tuple, ast.Dict)):
            parts = [n for n in list_children(value) if isinstance(n, ast.expr)]
            return all(self._is_fixed(part, loop) for part in parts)
        if names.find_key(value) is None:
            return False
        if loop.late or self._is_supervisor(value):
            return True
        root = value
        while isinstance(root, ast.Attribute):
            root = root.value
        assert isinstance(root, ast.Name)
        owner = self._scopes.find_scope(root).find_owner(root.id)
        bound = owner.bindings.get(root.id, []) if owner is not None else []
        changed = isinstance(value, ast.Attribute) and any(
            names.find_key(n) == names.find_key(value) and isinstance(n.ctx, ast.Store)
            for n in walk_breadth_first(self._scopes.find_scope(loop.call).node)
            if isinstance(n, ast.Attribute)
        )
        return len(bound) == 1 and not changed

    def _bring_loop(self, loop: _Loop) -> Text | None:
        text, function = self._text, loop.function
        scope = self._scopes.scope_by_node[function]
        parameters = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        defaults = function.args.defaults
        values = dict(zip(parameters[len(parameters) - len(defaults) :], defaults))
        values.update(loop.given)
        rename: dict[str, str] = {}
        kept: dict[str, str] = {}
        later: dict[ast.Name, str] = {}
        taken = self._find_taken_names(function)
        before = self._find_names_before(loop)
        if find_names_bound_within(function) & self._find_given_names(loop):
            return None
        for parameter in parameters:
            value = values[parameter]
            flat = " ".join(x.strip() for x in text.find_segment(value).split("\n"))
            if "#" in flat or find_lines_inside_strings(value):
                return None
            again = self._find_rebound_uses(function, scope, parameter)
            if again is None:
                return None
            fixed = self._is_fixed(value, loop)
            if names.find_key(value) is None and not isinstance(value, ast.Constant):
                fixed = fixed and self._is_only_fetched(function, parameter)
            if fixed:
                rename[parameter] = flat
                own = _find_free_name(f"{parameter}_value", taken) if again else ""
                later.update({node: own for node in again})
            elif loop.late or parameter not in loop.given:
                return None
            else:
                kept[parameter] = flat
        for name, bindings in scope.bindings.items():
            if name not in rename and name in before:
                if any(isinstance(b, _DEFINITIONS) for b in bindings):
                    return None
                rename[name] = _find_free_name(f"{name}_value", taken)
        alone = self._count_uses(function) == 1
        called = (
            function.name
            if alone
            else _find_free_name(f"{function.name}_by_time", taken)
        )
        new, origins = self._write_definition(
            loop, scope, rename, later, list(kept), called
        )
        statement = loop.statement
        bound = names.bind_arguments(loop.call, PARAMETERS) or {}
        every = text.find_segment(bound["timer_interval_secs"])
        values_ = ", ".join(kept.values()) + ("," if len(kept) == 1 else "")
        more = f", ({values_})" if kept else ""
        if "\n" in every:
            return None
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        supervisor = text.find_segment(loop.call.func)
        new.append(f"{indent}{supervisor}({every}, {called}{more})")
        origins.append(text.origins[statement.lineno - 1])
        changes = [(statement.lineno, statement.end_lineno or 0, new, origins)]
        if alone:
            first, last = function.lineno, function.end_lineno or 0
            if len(self._find_suite(function)) == 1:
                return None
            while first > 1 and text.lines[first - 2].lstrip().startswith("#"):
                first -= 1
            while last < len(text.lines) and not text.lines[last].strip():
                last += 1
            changes.append((first, last, [], []))
        for start, end, lines, places in sorted(changes, reverse=True):
            text = text.splice(start, end, lines, places)
        return text

    def _find_rebound_uses(
        self, function: ast.FunctionDef, scope: Scope, parameter: str
    ) -> list[ast.Name] | None:
        """Lists uses of a parameter's name after `loss = sess.run(loss)` rebinds it.

        None if it is not clear which uses come after.
        """
        bindings = [
            b for b in scope.bindings.get(parameter, []) if not isinstance(b, ast.arg)
        ]
        if not bindings:
            return []
        first = bindings[0]
        if not isinstance(first, ast.Assign) or self._is_nested(first, function):
            return None
        end = (first.end_lineno or 0, first.end_col_offset or 0)
        uses = [
            node
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Name)
            and node.id == parameter
            and self._scopes.find_scope(node).find_owner(parameter) is scope
        ]
        return [
            node
            for node in uses
            if node in first.targets or (node.lineno, node.col_offset) >= end
        ]

    def _is_nested(self, statement: ast.stmt, function: ast.FunctionDef) -> bool:
        """Whether a statement of a function is not run once, in its place."""
        parent = self._scopes.parents[statement]
        while isinstance(parent, ast.With):
            parent = self._scopes.parents[parent]
        return parent is not function

    def _write_definition(
        self,
        loop: _Loop,
        scope: Scope,
        rename: dict[str, str],
        later: dict[ast.Name, str],
        kept: list[str],
        called: str,
    ) -> tuple[list[str], list[int]]:
        """The lines of the function by its new names, and their origins."""
        text, function = self._text, loop.function
        edits = [
            Edit(node, later.get(node, rename[node.id]))
            for statement in function.body
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Name)
            and node.id in rename
            and self._scopes.find_scope(node).find_owner(node.id) is scope
        ]
        changed = text.apply_edits(edits)
        at = loop.statement
        indent = text.lines[at.lineno - 1][: at.col_offset]
        step = text.lines[function.body[0].lineno - 1][: function.body[0].col_offset]
        step = step[function.col_offset :]
        header = ", ".join(rename.get(name, name) for name in kept)
        begin = max(
            [function.lineno]
            + [
                getattr(n, "end_lineno", 0) or 0
                for n in walk_breadth_first(function.args)
            ]
        )
        verbatim = set().union(*[find_lines_inside_strings(s) for s in function.body])
        comments = function.lineno
        while comments > 1 and text.lines[comments - 2].lstrip().startswith("#"):
            comments -= 1
        lines = [
            indent + text.lines[n - 1].lstrip()
            for n in range(comments, function.lineno)
        ]
        origins = list(text.origins[comments - 1 : function.lineno - 1])
        lines.append(f"{indent}def {called}({header}):")
        origins.append(text.origins[function.lineno - 1])
        for number in range(begin + 1, (function.end_lineno or 0) + 1):
            line = changed.lines[number - 1]
            if number not in verbatim and line.strip():
                line = indent + line[function.col_offset :]
            lines.append(line)
            origins.append(text.origins[number - 1])
        return lines, origins

    def _find_given_names(self, loop: _Loop) -> set[str]:
        """Names that the function's arguments are made of."""
        given = [names.find_reads(value) for value in loop.given.values()]
        return {name.partition(".")[0] for name in set().union(*given)}

    def _find_names_before(self, loop: _Loop) -> set[str]:
        """Returns the arguments' names, and names bound before the loop."""
        found = self._find_given_names(loop)
        scope: Scope | None = self._scopes.find_scope(loop.call)
        while scope is not None:
            for name, bindings in scope.bindings.items():
                if any(getattr(b, "lineno", 0) < loop.call.lineno for b in bindings):
                    found.add(name)
            scope = scope.parent
        return found

    def _find_taken_names(self, function: ast.FunctionDef) -> set[str]:
        """Returns every name of the file but the function's own."""
        inside = set(walk_breadth_first(function))
        return {
            found
            for node in walk_breadth_first(self._tree)
            if node not in inside
            for found in (getattr(node, "id", None), getattr(node, "arg", None))
            if found is not None
        }

    def _count_uses(self, function: ast.FunctionDef) -> int:
        return sum(
            isinstance(node, ast.Name) and node.id == function.name
            for node in walk_breadth_first(self._tree)
        )


def _find_free_name(name: str, taken: set[str]) -> str:
    """A name that the file does not have."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    taken.add(found)
    return found
