"""Decides by the variables' full names which calls of a function share variables.

TF1 looked a variable up under the open scopes. So two calls of a function share its
variables if the scopes are the same, and the names in them. The spelling of the arguments
does not matter. A scope or layer without a name gets a number, and two calls get different
numbers.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.constants import Environment, Value, evaluate, is_known
from migrate.program.binding_time.lifts import Lifts
from migrate.program.functions import list_parameter_names
from migrate.source.nodes import find_plain_names, list_children, walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

# Part of a name that TF1 numbered: for each open scope, anew when it is entered.
NUMBERED = "*"
_TRUE: Value = ("constant", "True")
_LOOPS = (ast.For, ast.While)


@dataclasses.dataclass(frozen=True, eq=False)
class StagedCall:
    """One call that makes variables.

    Attributes:
      blocks: the open variable scopes.
      scope: their names.
      values: the arguments that decide which variables are made.
      made: the first parts of the names that it makes; None if one is not known.
      new: whether it makes variables that were never shared (`tf.Variable`).
    """

    call: ast.Call
    definition: ast.FunctionDef
    name: str
    blocks: tuple[ast.With, ...]
    scope: tuple[Value, ...]
    loops: tuple[ast.AST, ...]
    values: Mapping[str, Value]
    made: frozenset[str] | None
    new: bool


class Sharing(Lifts):
    """Decides which calls share the variables that they make."""

    def _find_definition(self, node: ast.Name) -> ast.AST | None:
        scope = self.scopes.find_scope(node).find_owner(node.id)
        bindings = scope.bindings.get(node.id, []) if scope else []
        return bindings[0] if len(bindings) == 1 else None

    def find_shared_call(
        self,
        call: ast.Call,
        definition: ast.FunctionDef,
        static: Mapping[str, ast.expr],
        environment: Environment,
    ) -> tuple[StagedCall, bool]:
        """Returns the call that makes this call's variables, and whether it is another one.

        `static` has the arguments that decide which variables are made.
        """
        blocks, loops = self.find_surroundings(call)
        inside = self._find_made_names(definition, environment, ())
        this = StagedCall(
            call,
            definition,
            "",
            blocks,
            self._find_scope_values(blocks),
            loops,
            {
                **{p: evaluate(self.scopes, v, {}) for p, v in static.items()},
                "": ("expression", ast.dump(call.func)),
            },
            self._qualify_names(blocks, inside),
            self._makes_new(definition, ()),
        )
        for other in self.staged_calls.values():
            if other.call is call:
                return other, True
        reuse = self._find_reuses(definition, environment, ())
        if self.reusing:
            reuse.add(self.find_block_reuse(blocks))
        sites = self.sites.setdefault(definition, [])
        elsewhere = any(
            function is not self.function and _may_meet(made, this.made)
            for function, made in sites
        )
        sites.append((self.function, this.made))
        if not reuse:
            return this, False
        if elsewhere:
            self.refuse_sharing(call, "another function calls it, too")
            return this, False
        for other in reversed(self.staged_calls.values()):
            reason = self._compare(this, other)
            if reason is None:
                return other, True
            if reason:
                self.refuse_sharing(call, reason)
                return this, False
        if self.reuses_made_elsewhere(this.made or frozenset()):
            self.refuse_sharing(call, "another call made some of them")
        elif (
            self.find_block_reuse(blocks) == _TRUE and self.reusing
        ) or self._reuses_all(definition, environment):
            self.refuse_sharing(call, "what it shares was not made by such a call")
        elif loops and not self._differs_by_round(this, static, inside):
            self.refuse_sharing(call, "each round of a loop calls it")
        return this, False

    def _compare(self, this: StagedCall, other: StagedCall) -> str | None:
        """Compares two calls: None if they share variables, "" if they do not.

        Otherwise it returns the reason why this is not known.
        """
        apart = this.made is not None and other.made is not None
        both = (this.made or frozenset()) & (other.made or frozenset())
        if this.definition is not other.definition:
            named = {n for n in both if not n.endswith(NUMBERED)}
            return f"`{other.definition.name}` makes some, too" if named else ""
        same_scope = this.scope == other.scope and all(map(is_known, this.scope))
        if not (
            same_scope
            and this.values == other.values
            and all(map(is_known, this.values.values()))
        ):
            if apart and not both:
                return ""
            return "another call has other arguments, or is in another scope"
        if this.loops[: len(other.loops)] != other.loops:
            return "the other call is in a loop"
        if this.new:
            return "it makes a tf.Variable, and each call made a new one"
        numbered = this.made is None or any(n.endswith(NUMBERED) for n in this.made)
        if numbered and this.made is not None and this.blocks == other.blocks:
            return (
                "in each call TensorFlow 1 gave another number to layers or scopes "
                "without a name"
            )
        return None

    def check_rounds(self, call: ast.Call, full: str | None, numbered: bool) -> None:
        """Refuses variables that the rounds of a loop shared in TF1: here each makes its own.

        Args:
          full: the name that each round gives it; None if it may be another each time.
          numbered: whether TF1 numbered the name in the scope that was opened last.
        """
        if not self.in_loop or full is None:
            return
        opened_in_the_loop = len(self.scope_names) > self.loop_scopes[0]
        if not numbered or opened_in_the_loop:
            self.refuse_sharing(call, "each round of a loop makes or reuses them")

    def refuse_sharing(self, call: ast.Call, reason: str) -> None:
        self.diagnostics.refuse(
            "V103",
            call,
            "the tool cannot tell which variables this call shares with another: "
            + reason,
            "Call the function each time in the same scope with the same "
            "arguments, and change only `reuse`. Give its scope and layers names. "
            "Use `reuse` for nothing else.",
        )

    def find_surroundings(
        self, call: ast.Call
    ) -> tuple[tuple[ast.With, ...], tuple[ast.AST, ...]]:
        """Returns the variable scopes and the loops around a call."""
        blocks: list[ast.With] = []
        loops: list[ast.AST] = []
        node: ast.AST | None = self.scopes.parents.get(call)
        while node is not None and not isinstance(
            node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)
        ):
            if isinstance(node, ast.With) and self._find_scope_calls(node):
                blocks.insert(0, node)
            elif isinstance(node, _LOOPS):
                loops.insert(0, node)
            node = self.scopes.parents.get(node)
        return tuple(blocks), tuple(loops)

    def _find_scope_calls(self, block: ast.With) -> list[ast.Call]:
        return [
            item.context_expr
            for item in block.items
            if isinstance(item.context_expr, ast.Call)
            and self.scopes.resolve(item.context_expr.func) == "tf.variable_scope"
        ]

    def _find_scope_values(self, blocks: tuple[ast.With, ...]) -> tuple[Value, ...]:
        values: list[Value] = []
        for block in blocks:
            for call in self._find_scope_calls(block):
                value = evaluate(
                    self.scopes, names.find_argument(call, "name_or_scope", 0), {}
                )
                if value == ("constant", "None"):  # It has another number each time.
                    value = ("expression", f"scope at line {block.lineno}")
                values.append(value)
        return tuple(values)

    def reuses_made_elsewhere(self, made: frozenset[str]) -> bool:
        """Whether variables with such names were made outside of functions."""
        return any(
            full == name or full.startswith(name + "/")
            for full in self.created
            for name in made
            if not name.endswith(NUMBERED)
        )

    def check_made_by_call(self, call: ast.Call, full: str | None) -> None:
        """Refuses a variable that is shared with one that a function made."""
        for other in self.staged_calls.values():
            for name in other.made or ():
                if full and (full == name or full.startswith(name + "/")):
                    self.refuse_sharing(
                        call, f"`{other.definition.name}` makes some, too"
                    )
                    return

    def find_block_reuse(self, blocks: tuple[ast.With, ...]) -> Value:
        found: Value = ("expression", "reuse")
        for block in blocks:
            for call in self._find_scope_calls(block):
                value = evaluate(self.scopes, names.find_argument(call, "reuse", 8), {})
                if value == _TRUE:
                    found = value
        return found

    def _qualify_names(
        self, blocks: tuple[ast.With, ...], inside: frozenset[str] | None
    ) -> frozenset[str] | None:
        """Returns full names if all their parts are known, otherwise None."""
        scope = self._find_scope_values(blocks)
        if inside is None or any(kind != "constant" for kind, _ in scope):
            return None
        parts = [ast.literal_eval(text) for _, text in scope]
        return frozenset("/".join([*map(str, parts), name]) for name in inside)

    def _differs_by_round(
        self,
        this: StagedCall,
        static: Mapping[str, ast.expr],
        inside: frozenset[str] | None,
    ) -> bool:
        """Whether the rounds of a loop make variables with different names."""
        loop = this.loops[-1]
        within = [b for b in this.blocks if self._is_in(b, loop)]
        by_round = find_plain_names(loop, ast.Store)
        scopes = {
            name
            for block in within
            for call in self._find_scope_calls(block)
            for name in names.find_reads(call)
        }
        if scopes & by_round:
            return True
        if inside is None:
            return any(names.find_reads(value) & by_round for value in static.values())
        return not within and all(name == NUMBERED for name in inside)

    def _is_in(self, node: ast.AST, outer: ast.AST) -> bool:
        parent: ast.AST | None = node
        while parent is not None and parent is not outer:
            parent = self.scopes.parents.get(parent)
        return parent is outer

    # -- what the body of a function makes and shares ---------------------------------

    def _find_called_function(
        self, call: ast.Call, caller: ast.FunctionDef
    ) -> ast.FunctionDef | None:
        """Returns the function of the program that a call in another function calls."""
        if isinstance(call.func, ast.Name):
            found = self._find_definition(call.func)
            return found if isinstance(found, ast.FunctionDef) else None
        owner = self.scopes.parents.get(caller)
        own = names.find_key(call.func) or ""
        if isinstance(owner, ast.ClassDef) and own.startswith("self."):
            for method in owner.body:
                if isinstance(method, ast.FunctionDef) and f"self.{method.name}" == own:
                    return method
        return None

    def make_environment(
        self, call: ast.Call, definition: ast.FunctionDef, outer: Environment
    ) -> Environment:
        """Returns the values of a function's parameters in a call, with defaults."""
        parameters = list_parameter_names(definition)
        if isinstance(self.scopes.parents.get(definition), ast.ClassDef):
            parameters = parameters[1:]
        bound = names.bind_arguments(call, tuple(parameters)) or {}
        values = {p: evaluate(self.scopes, v, outer) for p, v in bound.items()}
        for parameter, default in map_defaults(definition).items():
            values.setdefault(parameter, evaluate(self.scopes, default, {}))
        scope = self.scopes.scope_by_node.get(definition)
        return {
            (definition, p): v
            for p, v in values.items()
            if scope is not None and len(scope.bindings.get(p, ())) == 1
        }

    def _find_made_names(
        self,
        definition: ast.FunctionDef,
        environment: Environment,
        callers: tuple[ast.AST, ...],
    ) -> frozenset[str] | None:
        """Returns first parts of the names that a function makes, None if one is unknown."""
        found: set[str] = set()
        work: list[ast.AST] = list(definition.body)
        while work:
            node = work.pop()
            name: ast.expr | None = None
            makes, inner = False, list_children(node)
            if isinstance(node, ast.With) and self._find_scope_calls(node):
                makes = True
                name = names.find_argument(
                    self._find_scope_calls(node)[0], "name_or_scope", 0
                )
                inner = []
            elif isinstance(node, ast.Call):
                symbol = self.scopes.resolve(node.func) or ""
                row = LAYER_FUNCTIONS.get(symbol) or LAYER_CLASSES.get(symbol)
                called = self._find_called_function(node, definition)
                if symbol == "tf.get_variable":
                    makes, name = True, names.find_argument(node, "name", 0)
                elif row is not None and row.has_weights:
                    makes, name = True, names.find_argument(node, "name")
                elif called is not None and called not in callers:
                    of_call = self.make_environment(node, called, environment)
                    made = self._find_made_names(
                        called, of_call, (*callers, definition)
                    )
                    if made is None:
                        return None
                    found |= made
            if makes:
                kind, text = evaluate(self.scopes, name, environment)
                if kind != "constant":
                    return None
                value = ast.literal_eval(text)
                found.add(NUMBERED if value is None else str(value))
            work.extend(inner)
        return frozenset(found)

    def _makes_new(
        self, definition: ast.FunctionDef, callers: tuple[ast.AST, ...]
    ) -> bool:
        """Whether a function makes variables that TF1 never shared."""
        for node in walk_breadth_first(definition):
            if isinstance(node, ast.Call):
                symbol = self.scopes.resolve(node.func)
                if symbol in roles.VARIABLES and symbol != "tf.get_variable":
                    return True
                called = self._find_called_function(node, definition)
                if called is not None and called not in (*callers, definition):
                    if self._makes_new(called, (*callers, definition)):
                        return True
        return False

    def _find_reuses(
        self,
        definition: ast.FunctionDef,
        environment: Environment,
        callers: tuple[ast.AST, ...],
    ) -> set[Value]:
        """Returns the `reuse` arguments of a function's scopes and layers, without False."""
        found: set[Value] = set()
        for node in walk_breadth_first(definition):
            if not isinstance(node, ast.Call):
                continue
            reuse = self.reuse_argument(node)
            if reuse is not None:
                found.add(evaluate(self.scopes, reuse, environment))
            called = self._find_called_function(node, definition)
            if called is not None and called not in (*callers, definition):
                of_call = self.make_environment(node, called, environment)
                found |= self._find_reuses(called, of_call, (*callers, definition))
        return {
            value
            for value in found
            if value[0] != "constant" or ast.literal_eval(value[1])
        }

    def _reuses_all(
        self, definition: ast.FunctionDef, environment: Environment
    ) -> bool:
        """Whether all that a function makes is in scopes or layers with `reuse=True`."""
        found: list[Value] = []
        work: list[ast.AST] = list(definition.body)
        while work:
            node = work.pop()
            inner = list_children(node)
            calls = [node] if isinstance(node, ast.Call) else []
            if isinstance(node, ast.With) and self._find_scope_calls(node):
                calls, inner = self._find_scope_calls(node)[:1], []
            for call in calls:
                symbol = self.scopes.resolve(call.func)
                row = LAYER_FUNCTIONS.get(symbol or "")
                if symbol in ("tf.variable_scope", "tf.get_variable") or (
                    row is not None and row.has_weights
                ):
                    reuse = self.reuse_argument(call)
                    found.append(evaluate(self.scopes, reuse, environment))
            work.extend(inner)
        return bool(found) and all(value == _TRUE for value in found)

    def reuse_argument(self, call: ast.Call) -> ast.expr | None:
        """Returns the `reuse` argument of a variable scope or layer."""
        symbol = self.scopes.resolve(call.func)
        if symbol == "tf.variable_scope":
            return names.find_argument(call, "reuse", 8)
        if symbol in LAYER_FUNCTIONS:
            return names.find_argument(call, "reuse")
        return None

    def is_only_for_reuse(
        self, definition: ast.FunctionDef, parameter: str, callers: tuple[ast.AST, ...]
    ) -> bool:
        """Whether a function uses a parameter only as `reuse` of its scopes."""
        work: list[ast.AST] = list(definition.body)
        while work:
            node = work.pop()
            if isinstance(node, ast.Name) and node.id == parameter:
                return False
            inner = list_children(node)
            if isinstance(node, ast.Call):
                left_out = [self.reuse_argument(node)]
                called = self._find_called_function(node, definition)
                if called is not None and called not in (*callers, definition):
                    parameters = list_parameter_names(called)
                    if isinstance(self.scopes.parents.get(called), ast.ClassDef):
                        parameters = parameters[1:]
                    bound = names.bind_arguments(node, tuple(parameters)) or {}
                    left_out += [
                        value
                        for p, value in bound.items()
                        if names.find_reads(value)
                        and self.is_only_for_reuse(called, p, (*callers, definition))
                    ]
                flat = [*node.args, *node.keywords, node.func]
                inner = [n for n in flat if getattr(n, "value", n) not in left_out]
                inner = [n for n in inner if n not in left_out]
            work.extend(inner)
        return True


def _may_meet(some: frozenset[str] | None, others: frozenset[str] | None) -> bool:
    """Whether names may be the same, if the functions are called in any scope."""
    if some is None or others is None:
        return True
    return any(
        f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
        for one in some
        for other in others
    )


def map_defaults(definition: ast.FunctionDef) -> dict[str, ast.expr]:
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    found = {
        a.arg: d for a, d in zip(reversed(positional), reversed(arguments.defaults))
    }
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is not None:
            found[argument.arg] = default
    return found
