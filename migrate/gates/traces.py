"""Lists a program's effects in the order in which it has them, from its text.

The trace starts with the module's own statements. When a call runs one of the module's
functions, or gets one as an argument, the trace goes through the function's body, the
first time. Functions that nothing in sight calls have traces of their own.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from migrate.facts.scopes import Scopes
from migrate.gates.accesses import Access, Accesses, Place
from migrate.gates.callees import (
    Callees,
    Effect,
    Function,
    get_last_name,
    is_abstract,
    list_decorators,
    traces_at_once,
)
from migrate.gates.conditions import (
    Guard,
    Kind,
    read_guard,
    read_handler_guard,
    read_loop_guard,
)
from migrate.gates.implicit_calls import ImplicitCalls
from migrate.gates.origins import is_tensorflow
from migrate.gates.sites import Site
from migrate.source.magics import is_of_notebook
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import host_effects as table

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_COMPOUND = (*_LOOPS, ast.If, ast.With, ast.AsyncWith, ast.Try)
_SERVES = "training_session.serve"


# Effects that a comparison of each call's is worth.
_MOST = 3000


def find_sites(scopes: Scopes, text: str) -> list[Site]:
    """Returns all effects of a module, in their order."""
    return _Trace(scopes, text).run()


def find_trace(
    scopes: Scopes, text: str, each_call: bool = False
) -> tuple[list[Site], list[Access]]:
    """All effects of a module, and where it reads and changes what Python keeps.

    Args:
      each_call: whether a function's effects are found anew at each of its calls. Otherwise
        they are found at the first.

    Raises:
      TooMany: the calls of calls have too many effects.
    """
    trace = _Trace(scopes, text, each_call)
    return trace.run(), trace.accesses.found


class TooMany(Exception):
    """A trace has more effects than a comparison is worth."""


class _Trace:
    def __init__(self, scopes: Scopes, text: str, each_call: bool = False) -> None:
        self._scopes = scopes
        self._each_call = each_call
        self._open: list[ast.AST] = []  # Functions that the trace is in.
        # Function -> its parameters whose value this call says, as in `verbose=True`.
        self._given: dict[ast.AST, dict[str, bool]] = {}
        self._idle = (
            False  # Whether the trace is in a branch that a call does not take.
        )
        self._lines = text.encode().split(b"\n")
        self._callees = Callees(scopes)
        # Function that the trace has entered -> the number of guards on the way to it.
        self._entered: dict[ast.AST, int] = {}
        # The function that TensorFlow traces now, and (entered function, traced function).
        self._traced: ast.AST | None = None
        self._retraced: set[tuple[ast.AST, ast.AST]] = set()
        self.accesses = Accesses(self._callees)
        self._implicit = ImplicitCalls(self._callees)
        self._place = Place()
        self._places: dict[ast.AST, Place] = {}
        # (Function, the step that calls it or None) -> the range of its own accesses.
        self._noted: dict[tuple[ast.AST, ast.AST | None], tuple[int, int]] = {}
        self._muted = False  # Whether effects have been listed already.
        self._known: set[ast.AST] = set()  # Nodes that have a site.
        self._sites: list[Site] = []
        self._guards: list[Guard] = []
        # Guards of left suites in which workers serve. The trace goes on without them.
        self._waits: list[Guard] = []
        self._loops: list[ast.AST] = []
        self._root = ""
        self._unused = False
        self._statement: ast.stmt | None = None

    def run(self) -> list[Site]:
        self._walk_suite(self._scopes.tree.body)
        mentioned = {
            function
            for node in self._scopes.walk()
            if isinstance(node, ast.Call)
            for function, _ in self._run_by(node)
        }
        functions = [
            node
            for node in self._scopes.walk()
            if isinstance(node, Function)
            and not (isinstance(node, ast.Lambda) and not self._is_deferred(node))
        ]
        names = self._find_names()
        # First those that nothing calls, then those that only such functions reach.
        for later in (False, True):
            for function in functions:
                if function not in self._entered and (
                    later or function not in mentioned
                ):
                    self._root = getattr(function, "name", "lambda")
                    self._unused = not self._is_named(function, names)
                    self._waits = []
                    self._walk_body(function)
        return self._sites

    def _is_named(self, function: Function, names: set[str]) -> bool:
        """Whether the program mentions a function other than where it makes it."""
        if not isinstance(function, ast.Lambda):
            return function.name in names
        above = self._scopes.parents[function]
        assert isinstance(above, (ast.Assign, ast.AnnAssign))
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        own = {
            getattr(target, "id", "") or getattr(target, "attr", "")
            for target in targets
        }
        return any(
            isinstance(node.ctx, ast.Load)
            and (node.id if isinstance(node, ast.Name) else node.attr) in own
            for node in self._scopes.walk()
            if isinstance(node, (ast.Name, ast.Attribute))
        )

    def _find_names(self) -> set[str]:
        """Returns the names in the program, and functions that others call without a name."""
        found = {"lambda"}
        for node in self._scopes.walk():
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.ClassDef):
                found.update(n.name for n in node.body if isinstance(n, Function))
            elif (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and node.decorator_list
            ):
                found.add(node.name)
        return found

    # -- statements --------------------------------------------------------------------

    def _walk_suite(self, statements: Iterable[ast.stmt], keeps: bool = False) -> bool:
        """Goes through a suite, and returns whether it never reaches its end."""
        before = len(self._guards)
        ends = False
        for statement in statements:
            self._statement = statement
            ends = self._visit_statement(statement) or ends
        left = self._guards[before:]
        self._waits += [g for g in left if g.kind is Kind.SERVE]
        # What ends in a suite that keeps its guards, as that of `with`, ends after it.
        self._guards[before:] = [g for g in left if keeps and g.kind is not Kind.SERVE]
        return ends

    def _visit_statement(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.If):
            return self._visit_if(statement)
        if isinstance(statement, _LOOPS):
            head = (
                statement.test if isinstance(statement, ast.While) else statement.iter
            )
            self._walk_expression(head)
            self._note_statement(statement)
            self._loops.append(statement)
            self._visit_under(read_loop_guard(head), statement.body)
            self._loops.pop()
            self._walk_suite(statement.orelse)
        elif isinstance(statement, ast.Try):
            self._walk_suite([*statement.body, *statement.orelse])
            for handler in statement.handlers:
                self._visit_under(read_handler_guard(handler), handler.body)
            self._walk_suite(statement.finalbody)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            for item in statement.items:
                self._walk_expression(item.context_expr)
            self._note_statement(statement)
            return self._walk_suite(statement.body, keeps=True)
        elif isinstance(statement, Function):
            for default in list_children(statement.args):
                if isinstance(default, ast.expr):
                    self._walk_expression(default)
            if any(map(traces_at_once, statement.decorator_list)):
                self._walk_body(statement)
        elif isinstance(statement, ast.ClassDef):
            self._walk_suite(statement.body)
        else:
            return self._visit_simple(statement)
        return False

    def _visit_simple(self, statement: ast.stmt) -> bool:
        if is_of_notebook(statement):
            return False
        for child in list_children(statement):
            if isinstance(child, ast.expr):
                self._walk_expression(child)
        self._note_statement(statement)
        if isinstance(statement, ast.Raise) and not is_abstract(statement):
            name = get_last_name(statement.exc) if statement.exc else ""
            self._add(Effect(table.Does.PROCESS, f"raise {name}"), statement)
        elif isinstance(statement, (ast.Assign, ast.AugAssign, ast.Delete)):
            self._add_changed_path(statement)
        return isinstance(statement, _ENDS) or self._has_no_return(statement)

    def _add_changed_path(
        self, statement: ast.Assign | ast.AugAssign | ast.Delete
    ) -> None:
        """Notes `os.environ["X"] = "1"` and `sys.path += [...]`."""
        targets = (
            [statement.target]
            if isinstance(statement, ast.AugAssign)
            else statement.targets
        )
        for target in targets:
            inner = target.value if isinstance(target, ast.Subscript) else target
            path = self._callees.find_path(inner)
            if path in table.PATHS:
                self._add(Effect(table.Does.PATH, path), statement)

    def _visit_if(self, statement: ast.If) -> bool:
        self._walk_expression(statement.test)
        holds, other = read_guard(statement.test)
        before = [*self._waits]
        taken = self._decide(statement.test) if self._each_call else None
        if taken is not None:
            idle, self._idle = self._idle, True
            self._visit_under(
                *((other, statement.orelse) if taken else (holds, statement.body))
            )
            self._idle, self._waits = idle, before
            suite = statement.body if taken else statement.orelse
            return self._walk_suite(suite, keeps=True)
        inside = self._visit_under(holds, statement.body)
        waits, self._waits = self._waits[len(before) :], before
        outside = self._visit_under(other, statement.orelse)
        self._waits += [] if inside else waits
        if inside and outside:
            return True
        if inside:
            self._guards.append(self._mark_end(other, statement.body[-1]))
        elif outside:
            self._guards.append(self._mark_end(holds, statement.orelse[-1]))
        return False

    def _decide(self, test: ast.expr) -> bool | None:
        """Whether a test holds that asks a parameter which the call says; else None."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            value = self._decide(test.operand)
            return None if value is None else not value
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if not isinstance(test, ast.Name):
            return None
        owner = self._callees.find_owner(test)
        if owner is None or len(owner.bindings.get(test.id, ())) != 1:
            return None
        return self._given.get(owner.node, {}).get(test.id)

    def _read_given(self, function: Function, call: ast.Call) -> dict[str, bool]:
        """Maps parameters of a function to the truth of what a call gives, if it says so."""
        arguments = function.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        if starred or any(k.arg is None for k in call.keywords):
            return {}
        if list_decorators(function):
            return {}  # They may call it with other arguments.
        defaults = dict(zip(reversed(names), reversed(arguments.defaults)))
        if names[:1] in (["self"], ["cls"]):
            del names[0]
        given = defaults | dict(zip(names, call.args))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        values = {name: self._decide(value) for name, value in given.items()}
        return {name: value for name, value in values.items() if value is not None}

    def _mark_end(self, guard: Guard, last: ast.stmt) -> Guard:
        """The condition after a branch that ends with a statement."""
        if self._serves(last):
            return dataclasses.replace(guard, kind=Kind.SERVE)
        left, raised = self._has_no_return(last), isinstance(last, ast.Raise)
        return dataclasses.replace(guard, left=left, raised=raised)

    def _visit_under(self, guard: Guard, statements: list[ast.stmt]) -> bool:
        self._guards.append(guard)
        ends = self._walk_suite(statements)
        self._guards.pop()
        return ends

    def _has_no_return(self, statement: ast.stmt) -> bool:
        call = getattr(statement, "value", None)
        if not isinstance(statement, ast.Expr) or not isinstance(call, ast.Call):
            return False
        if self._callees.find_path(call.func) in table.NEVER_RETURN:
            return True
        if isinstance(call.func, ast.Name) and call.func.id in ("exit", "quit"):
            return not self._callees.find_bindings(call.func)
        return (  # A server's: a thread's ends, but of what follows all waits for it.
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "join"
            and not (call.args or call.keywords)
            and self._callees.origins.is_of_tensorflow(call.func.value)
        )

    def _serves(self, statement: ast.stmt) -> bool:
        """Whether a worker waits here until the coordinator gives it work."""
        call = getattr(statement, "value", None)
        return (
            isinstance(call, ast.Call) and self._callees.find_path(call.func) == _SERVES
        )

    # -- expressions -------------------------------------------------------------------

    def _walk_expression(self, node: ast.expr) -> None:
        """Goes through the parts of an expression in Python's order of evaluation."""
        if isinstance(node, ast.Lambda):
            if not self._is_deferred(node):
                self._walk_expression(node.body)
        elif isinstance(node, ast.IfExp):
            self._walk_expression(node.test)
            for guard, part in zip(read_guard(node.test), (node.body, node.orelse)):
                self._guards.append(guard)
                self._walk_expression(part)
                self._guards.pop()
        elif isinstance(node, _COMPREHENSIONS):
            self._walk_comprehension(node)
        else:
            for child in list_children(node):
                if isinstance(child, ast.keyword):
                    self._walk_expression(child.value)
                elif isinstance(child, ast.expr):
                    self._walk_expression(child)
            self.accesses.note_read(node, self._update_place())
            self._run_implicitly(node)
            if isinstance(node, ast.Call):
                self._walk_call(node)

    def _walk_comprehension(self, node: ast.expr) -> None:
        assert isinstance(node, _COMPREHENSIONS)
        for generator in node.generators:
            self._walk_expression(generator.iter)
        self._guards.append(read_loop_guard(node.generators[0].iter))
        for test in (test for g in node.generators for test in g.ifs):
            self._walk_expression(test)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in parts:
            self._walk_expression(part)
        self._guards.pop()

    def _walk_call(self, call: ast.Call) -> None:
        if not self._callees.find_called_functions(call.func):
            effect = self._callees.find_effect(call)
            self.accesses.note_call(call, effect, self._update_place())
            if effect is not None:
                self._add(effect, call)
        guards, statement = self._guards, self._statement
        for function, here in self._run_by(call):
            self._guards = [*guards] if here else []
            waits: list[Guard] = []
            if isinstance(call.func, ast.Attribute) and call.func.attr == "run":
                # All workers run the functions that `run` gets, also the workers that serve.
                self._guards = [g for g in guards if g.kind is not Kind.SERVE]
                waits, self._waits = self._waits, []
            if self._is_traced(function):
                self._guards = [g for g in self._guards if g.kind is not Kind.LOOP]
            known = self._given
            if function in self._callees.find_called_functions(call.func):
                own = self._read_given(function, call)
                self._given = {**known, function: own}
            else:  # Something else calls it, with arguments that are not in sight.
                self._given = {**known, function: {}}
            self._walk_body(function)
            self._given = known
            self._waits = [*waits, *self._waits]
        self._guards, self._statement = guards, statement

    def _run_by(self, call: ast.Call) -> Iterator[tuple[Function, bool]]:
        """Yields the module's functions that a call runs, and whether it does so at once.

        TensorFlow calls its arguments at a time of its own.
        """
        for function in self._callees.find_called_functions(call.func):
            yield function, True
        path = self._callees.find_path(call.func)
        at_once = not is_tensorflow(path)
        given = [*call.args, *(k.value for k in call.keywords)]
        if isinstance(call.func, ast.Name) and not self._callees.find_bindings(
            call.func
        ):
            given = given if call.func.id in table.RUNS_GIVEN else []
        for argument in given:
            if not isinstance(argument, (ast.Name, ast.Attribute)):
                continue
            if not self._callees.is_class(argument):
                for function in self._callees.find_called_functions(argument):
                    yield function, at_once
        if not call.args and self._scopes.resolve(call.func) in table.RUNS_MAIN:
            for binding in self._scopes.module.bindings.get("main", ()):
                if isinstance(binding, Function):
                    yield binding, True

    def _is_traced(self, function: Function) -> bool:
        """Whether a function's effects happen when TensorFlow builds a graph."""
        decorators = list_decorators(function)
        return any(map(self._callees.origins.is_of_tensorflow, decorators))

    def _walk_body(self, function: Function) -> None:
        """Goes through a function once, and again for each traced function that calls it."""
        traced, place, muted = self._traced, self._place, self._muted
        if traced is None and self._is_traced(function):
            self._traced = function
        if place.step is None and self._is_step(function):
            at_once = any(map(traces_at_once, list_decorators(function)))
            self._place = self._places.setdefault(function, Place(function, at_once))
        if self._traced is None:
            known = self._open if self._each_call else self._entered
            again = function not in known
        else:
            again = (function, self._traced) not in self._retraced
            self._retraced.add((function, self._traced))
        if not again and self._place.step is not None:
            # A method that Keras traces: its effects are listed, its accesses are not.
            self._muted = again = function not in self._place.entered
        key = (function, self._place.step)
        if again:
            self._entered.setdefault(function, len(self._guards))
            self._place.entered |= {function}
            first = len(self.accesses.found)
            self._open.append(function)
            if isinstance(function, ast.Lambda):
                self._walk_expression(function.body)
            else:
                self._walk_suite(function.body)
            self._open.pop()
            self._noted[key] = first, len(self.accesses.found)
        elif key in self._noted and function is not self._place.step:
            self.accesses.repeat_changes(*self._noted[key], self._update_place())
        self._traced, self._place, self._muted = traced, place, muted

    def _is_step(self, function: Function) -> bool:
        """Whether TensorFlow traces a function, so that its code runs with each trace."""
        for decorator in list_decorators(function):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if get_last_name(
                called
            ) in table.TRACES and self._callees.origins.is_of_tensorflow(decorator):
                return True
        above = self._scopes.parents.get(function)
        return (
            isinstance(above, ast.ClassDef)
            and getattr(function, "name", "") in table.TRACED_METHODS
            and any(
                is_tensorflow(self._callees.find_path(base)) for base in above.bases
            )
        )

    def _update_place(self) -> Place:
        place = self._place
        place.guards, place.unused = self._guards, self._unused
        place.statement, place.loops = self._statement, self._loops
        return place

    def _note_statement(self, statement: ast.stmt) -> None:
        self.accesses.note_statement(statement, self._update_place())
        self._run_implicitly(statement)

    def _run_implicitly(self, node: ast.AST) -> None:
        """Goes through code that no call names. Its effects count at the place of the node."""
        muted, guards, at = self._muted, self._guards, self._statement
        for function in self._implicit.run_by(node):
            if function not in self._place.entered:
                self._muted, self._guards = True, [*guards]
                self._walk_body(function)
        self._muted, self._guards, self._statement = muted, guards, at

    def _is_deferred(self, node: ast.Lambda) -> bool:
        return self._callees.is_deferred(node)

    def _add(self, effect: Effect, node: ast.expr | ast.stmt) -> None:
        if self._muted:
            return
        if self._each_call and len(self._sites) > _MOST:
            raise TooMany
        at = self._statement
        if at is None or isinstance(at, _COMPOUND):
            at = node  # type: ignore[assignment]
        assert at is not None
        constants = [
            n.value for n in walk_breadth_first(node) if isinstance(n, ast.Constant)
        ]
        self._sites.append(
            Site(
                effect,
                frozenset(value for value in constants if isinstance(value, str)),
                frozenset(map(repr, constants)),
                "" if isinstance(node, ast.Raise) else self._spell_node(node),
                at.lineno,
                frozenset((n.lineno, n.col_offset + 1) for n in (at, node)),
                self._root,
                len(self._sites),
                (*self._guards, *(w for w in self._waits if w not in self._guards)),
                self._count_outer_conditions(effect, node),
                self._unused,
                self._traced is not None,
                node in self._known
                and (self._traced is not None or not self._each_call),
                self._idle,
            )
        )
        self._known.add(node)

    def _spell_node(self, node: ast.expr | ast.stmt) -> str:
        """Returns the source text of a node, in one line."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(b" ".join(lines).decode(errors="replace").split())

    def _count_outer_conditions(self, effect: Effect, node: ast.expr | ast.stmt) -> int:
        """Counts the conditions around the function that made an object."""
        if effect.kind is not table.Does.OBJECT or not isinstance(node, ast.Call):
            return 0
        for name in walk_breadth_first(node.func):
            if isinstance(name, ast.Name):
                owner = self._callees.find_owner(name)
                if owner is not None and owner.node in self._entered:
                    return min(self._entered[owner.node], len(self._guards))
        return 0
