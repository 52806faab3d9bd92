"""The statements of a loop over towers, as those of one tower."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from migrate.facts import names
from migrate.normalise.text import Edit, find_lines_inside_strings
from migrate.normalise.towers import checks, tasks
from migrate.normalise.towers.view import Unclear, View
from migrate.source.nodes import find_plain_names, walk_breadth_first

_PLACES = frozenset({"tf.device", "tf.name_scope"})
# What a condition of a tower's number may consist of.
_DECIDED = (
    *(ast.Compare, ast.IfExp, ast.BoolOp, ast.UnaryOp),
    *(ast.Name, ast.Constant),
)


class Body:
    """A loop's statements without the blocks that place, name and share.

    Attributes:
      statements: they, in order.
      flags: names that say whether a tower was made before, with what each is for the
        first tower, as text.

    Raises:
      Unclear: one tower leaves more for the next than such flags.
    """

    def __init__(self, view: View, index: str) -> None:
        self._view = view
        self._index = index
        self.flags: dict[str, str] = {}
        self.statements = self._flatten_body(view.loop.body)

    def find_scope_names(self) -> list[str]:
        """Names of name scopes, which a tower may pass on to collections."""
        return self._list_scope_names(self._view.loop.body)

    def _list_scope_names(self, body: list[ast.stmt]) -> list[str]:
        blocks = [
            s for s in body if isinstance(s, ast.With) and dissolves(self._view, s)
        ]
        return [
            item.optional_vars.id
            for block in blocks
            for item in block.items
            if isinstance(item.optional_vars, ast.Name)
        ] + [name for block in blocks for name in self._list_scope_names(block.body)]

    def _flatten_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.With) and dissolves(self._view, statement):
                found.extend(self._flatten_body(statement.body))
            elif not _reuses_only(statement):
                found.append(statement)
        self._check_carried(found)
        return found

    # -- what one tower leaves for the next ---------------------------------------------

    def _check_carried(self, body: list[ast.stmt]) -> None:
        """Refuses a tower that leaves more for the next than a flag.

        Raises:
          Unclear: it leaves more.
        """
        self.flags = {}
        self._collect_bindings(
            body, set().union(*[names.find_binds(s) for s in body]), set(), body
        )

    def _collect_bindings(
        self,
        suite: list[ast.stmt],
        bound_later: set[str],
        bound: set[str],
        body: list[ast.stmt],
    ) -> None:
        """Adds to `bound` what a suite binds, given what the tower has bound before it."""
        for statement in _walk_statements(suite):
            if isinstance(statement, (ast.While, ast.Try, ast.FunctionDef)):
                raise Unclear
            if isinstance(statement, ast.For):
                if statement.orelse:
                    raise Unclear
                self._collect_bindings(
                    [ast.Expr(statement.iter)], bound_later, bound, body
                )
                # It may have no round: after it nothing is bound for certain.
                own = bound | find_plain_names(statement.target)
                self._collect_bindings(statement.body, bound_later, own, body)
                continue
            if statement in body and self.adds_up(statement):
                continue
            reads = names.find_reads(statement)
            if isinstance(statement, ast.AugAssign):
                reads = reads | find_plain_names(statement.target)
            if isinstance(statement, ast.If):
                reads = names.find_reads(statement.test)
                inside: set[str] = set()
                for inner in [*statement.body, *statement.orelse]:
                    reads |= names.find_reads(inner) - inside
                    inside |= names.find_binds(inner)
            for name in (reads & bound_later) - bound:
                first = self._find_flag(name, body)
                if first is None:
                    raise Unclear
                self.flags[name] = first
            bound |= names.find_binds(statement)

    def _find_flag(self, name: str, body: list[ast.stmt]) -> str | None:
        """`reuse = True` at the loop's end: what it is before; None for anything else."""
        scope = self._view.scopes.find_scope(self._view.loop)
        bindings = scope.bindings.get(name, [])
        if len(bindings) != 2 or bindings[1] not in body:
            return None
        for bound in bindings:
            if not (
                isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Constant)
            ):
                return None
        return ast.unparse(bindings[0].value)  # type: ignore[attr-defined]

    def sets_flag(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Assign) and bool(
            names.find_binds(statement) & set(self.flags)
        )

    def adds_up(self, statement: ast.stmt) -> tuple[str, str] | None:
        """`total += loss`, of all towers, as (name, value); begun by 0 before the loop."""
        view = self._view
        if not (
            isinstance(statement, ast.AugAssign)
            and isinstance(statement.op, ast.Add)
            and isinstance(statement.target, ast.Name)
        ):
            return None
        name = statement.target.id
        bindings = view.scopes.find_scope(view.loop).bindings.get(name, [])
        inside = [n for n in view.inside if isinstance(n, ast.Name) and n.id == name]
        begun = [
            b
            for b in bindings
            if isinstance(b, ast.Assign)
            and names.read_literal(b.value) == 0
            and b.lineno < view.loop.lineno
        ]
        before = [b for b in bindings if b.lineno < view.loop.lineno]  # type: ignore[attr-defined]
        if len(begun) != 1 or begun != before or len(inside) != 1:
            return None
        return name, view.flatten_expression(statement.value)

    # -- conditions of a tower's number -------------------------------------------------

    def is_only_for_first(self, statement: ast.stmt) -> bool:
        """`if i == 0:` around assignments: what is shown of the first tower.

        What the towers go on with, as `loss` in `loss = loss + penalty`, is more than that.
        """
        bound = names.find_binds(statement)
        return (
            isinstance(statement, ast.If)
            and not statement.orelse
            and self._depends(statement.test)
            and self._evaluate_at_zero(statement.test) is True
            and all(
                isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
                for s in statement.body
            )
            and not any(
                bound & (names.find_reads(s) | names.find_binds(s))
                for s in self.statements
                if s is not statement
            )
            and not bound & _find_free_reads(statement)
        )

    def _depends(self, node: ast.expr) -> bool:
        return any(
            isinstance(n, ast.Name) and n.id == self._index
            for n in walk_breadth_first(node)
        )

    def _evaluate_at_zero(self, node: ast.expr) -> object:
        """The value of a condition for the first tower.

        Raises:
          Unclear: it is not one of the tower's number alone.
        """
        called = {
            n.func
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Call) and names.find_key(n.func) == "bool"
        }
        for n in walk_breadth_first(node):
            if isinstance(n, ast.Call) and n.func in called and not n.keywords:
                continue  # `bool(i)`
            if isinstance(n, ast.expr) and not isinstance(n, _DECIDED):
                raise Unclear
            if isinstance(n, ast.Name) and n.id != self._index and n not in called:
                raise Unclear
        compiled = compile(ast.Expression(node), "<condition>", "eval")
        return eval(compiled, {"__builtins__": {"bool": bool}}, {self._index: 0})

    def _find_reuse_argument(self, call: ast.Call) -> ast.expr | None:
        """Finds `i > 0` of `network(x, i > 0)`, if the parameter is `reuse`."""
        function = checks.find_called_function(self._view.scopes, call)
        if function is None or any(isinstance(a, ast.Starred) for a in call.args):
            return None
        parameters = [*function.args.posonlyargs, *function.args.args]
        for parameter, value in zip(parameters, call.args):
            if parameter.arg == "reuse" and self._depends(value):
                return value
        return None

    def _check_shares(self, given: ast.AST, seen: tuple[ast.AST, ...] = ()) -> None:
        """Refuses a function that uses its word for sharing in another way.

        Args:
          given: the word for sharing: an argument, or the condition of a block.
          seen: what led there.

        Raises:
          Unclear: something else may be computed, too.
        """
        scopes = self._view.scopes
        around = scopes.parents[given]
        if isinstance(around, ast.If):
            if given is not around.test or not all(
                ast.unparse(s).endswith(".reuse_variables()") for s in around.body
            ):
                raise Unclear
            return
        call = scopes.parents[around] if isinstance(around, ast.keyword) else around
        if not isinstance(call, ast.Call):
            raise Unclear
        function = checks.find_called_function(scopes, call)
        if function is None or call in seen:
            return  # TensorFlow's, or a method, whose body is looked at elsewhere.
        parameters = [*function.args.posonlyargs, *function.args.args]
        told = [
            a.arg
            for at, a in enumerate(parameters)
            if names.find_argument(call, a.arg, at) is given
        ]
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Name) and node.id in told:
                self._check_shares(node, (*seen, call))

    def _says_reuse(self, statement: ast.Assign) -> bool:
        """Whether it is `reuse = i > 0`, read only by arguments of that name."""
        if not self._depends(statement.value) or not isinstance(
            statement.targets[0], ast.Name
        ):
            return False
        name = statement.targets[0].id
        uses = [
            n
            for n in self._view.inside
            if isinstance(n, ast.Name)
            and n.id == name
            and n is not statement.targets[0]
        ]
        return not self._view.find_reads_after(name) and all(
            isinstance(around := self._view.scopes.parents[n], ast.keyword)
            and around.arg == "reuse"
            for n in uses
        )

    # -- their text -----------------------------------------------------------------------

    def write_lines(self, statement: ast.stmt) -> list[str]:
        """A statement's lines without indentation, its conditions of reuse decided."""
        text = self._view.text
        if find_lines_inside_strings(statement) or not text.is_alone(statement):
            raise Unclear
        edits = []
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.If) and self._depends(node.test):
                raise Unclear
            if (
                isinstance(node, ast.keyword)
                and node.arg == "reuse"
                and self._depends(node.value)
            ):
                self._check_shares(node.value)
                edits.append(Edit(node.value, repr(self._evaluate_at_zero(node.value))))
            elif isinstance(node, ast.Call) and (
                given := self._find_reuse_argument(node)
            ):
                self._check_shares(given)
                edits.append(Edit(given, repr(self._evaluate_at_zero(given))))
            elif (
                isinstance(node, ast.Name)
                and node.id in self.flags
                and isinstance(node.ctx, ast.Load)
            ):
                self._check_shares(node)
                edits.append(Edit(node, self.flags[node.id]))
        if isinstance(statement, ast.Assign) and self._says_reuse(statement):
            edits = [
                Edit(statement.value, repr(self._evaluate_at_zero(statement.value)))
            ]
        text = text.apply_edits(edits)
        end = statement.end_lineno or statement.lineno
        begin = statement.lineno
        while text.lines[begin - 2].strip().startswith("#"):
            begin -= 1  # Its comment goes with it.
        lines = text.lines[begin - 1 : end]
        return textwrap.dedent("\n".join(lines)).split("\n")


def dissolves(view: View, statement: ast.stmt) -> bool:
    """Whether a block only places or names the tower, or opens its reused scope."""
    if not isinstance(statement, ast.With):
        return False
    for item in statement.items:
        call = item.context_expr
        if not isinstance(call, ast.Call):
            return False
        symbol = view.scopes.resolve(call.func)
        if symbol == "tf.device" and not tasks.leaves(view, statement):
            return False
        if symbol in _PLACES:
            continue
        name = names.find_argument(call, "name_or_scope", 0)
        if not (
            symbol == "tf.variable_scope"
            and isinstance(name, ast.Call)
            and view.scopes.resolve(name.func) == "tf.get_variable_scope"
            and _is_left(view, item.optional_vars)
        ):
            return False
    return True


def _is_left(view: View, scope: ast.expr | None) -> bool:
    """Whether a scope's name does nothing but `scope.reuse_variables()` in the loop."""
    if scope is None:
        return True
    if not isinstance(scope, ast.Name) or view.find_reads_after(scope.id):
        return False
    return all(
        isinstance(around := view.scopes.parents[node], ast.Attribute)
        and around.attr == "reuse_variables"
        for node in view.inside
        if isinstance(node, ast.Name)
        and node.id == scope.id
        and isinstance(node.ctx, ast.Load)
    )


def find_outermost(view: View) -> ast.stmt:
    """Returns the loop, or the outermost such block around the loop alone."""
    outer: ast.stmt = view.loop
    parent = view.scopes.parents[outer]
    while isinstance(parent, ast.With) and parent.body == [outer]:
        if not dissolves(view, parent):
            break
        outer, parent = parent, view.scopes.parents[parent]
    return outer


def _reuses_only(statement: ast.stmt) -> bool:
    """`tf.get_variable_scope().reuse_variables()`, perhaps under a condition."""
    if isinstance(statement, ast.If) and not statement.orelse:
        return all(_reuses_only(s) for s in statement.body)
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "reuse_variables"
    )


def _find_free_reads(statement: ast.If) -> set[str]:
    """Names that a block reads before it binds them."""
    found = names.find_reads(statement.test)
    bound: set[str] = set()
    for inner in statement.body:
        found |= names.find_reads(inner) - bound
        bound |= names.find_binds(inner)
    return found


def _walk_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in order, those of `with` blocks after what their items read."""
    for statement in body:
        if isinstance(statement, ast.With):
            for item in statement.items:
                yield ast.Expr(item.context_expr)
            yield from _walk_statements(statement.body)
        else:
            yield statement
