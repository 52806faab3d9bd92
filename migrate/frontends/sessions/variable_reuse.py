"""Writes `reuse_variables()` as the argument `reuse` of a scope: as it opens, or again."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.text import Edit, ParsedText, Text
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import plain_calls, recurrent, roles


def write_reuse(text: Text) -> Text:
    """The text in which scopes say themselves that they reuse variables, where it is clear."""
    for step in (
        _Reuse.write_argument,
        _Reuse.open_again,
        _Reuse.drop_call_after_cells,
    ):
        while "reuse_variables" in text.source:
            new = step(_Reuse(text))
            if new is None:
                break
            text = new
    return text


class _Reuse(ParsedText):
    def write_argument(self) -> Text | None:
        """`if reuse: scope.reuse_variables()` as a scope begins: `reuse=reuse`."""
        for node in walk_breadth_first(self._tree):
            if not (isinstance(node, ast.With) and len(node.items) == 1):
                continue
            call = node.items[0].context_expr
            if not (
                isinstance(call, ast.Call)
                and self._scopes.resolve(call.func) == "tf.variable_scope"
                and names.find_argument(call, "reuse", 8) is None
            ):
                continue
            bound = node.items[0].optional_vars
            scope = bound.id if isinstance(bound, ast.Name) else ""
            first = node.body[0]
            test: ast.expr | None = None
            inside: ast.stmt = first
            if isinstance(first, ast.If) and not first.orelse and len(first.body) == 1:
                test, inside = first.test, first.body[0]
            if not self._reuses(inside, scope) or len(node.body) < 2:
                continue
            others = [
                n
                for n in walk_breadth_first(node)
                if isinstance(n, ast.Name)
                and n.id == scope
                and isinstance(n.ctx, ast.Load)
            ]
            if len(others) > 1 or not self._text.is_alone(first):
                continue
            value = self._join_lines(test) if test is not None else "True"
            last = [*call.args, *[k.value for k in call.keywords]][-1]
            text = self._text
            if last.lineno >= first.lineno:
                continue
            edits = [Edit(last, f"{self._join_lines(last)}, reuse={value}")]
            text = text.apply_edits(edits)
            return text.splice(first.lineno, first.end_lineno or first.lineno, [], [])
        return None

    def open_again(self) -> Text | None:
        """Opens a scope again for the statements below its `scope.reuse_variables()`.

        with tf.variable_scope("D") as scope:
            real = discriminator(x)
            scope.reuse_variables()
            fake = discriminator(g)
        """
        for node in walk_breadth_first(self._tree):
            if not (isinstance(node, ast.With) and len(node.items) == 1):
                continue
            call = node.items[0].context_expr
            bound = node.items[0].optional_vars
            scope = bound.id if isinstance(bound, ast.Name) else ""
            for statement in node.body[1:-1]:
                if (
                    isinstance(call, ast.Call)
                    and self._reuses(statement, scope)
                    and self._may_open_again(call)
                    and (not isinstance(bound, ast.Name) or self._is_read_once(bound))
                    and self._text.is_alone(statement)
                    and not self._names_by_scope(node, statement)
                ):
                    return self._split(node, statement, call, scope)
        return None

    def _split(
        self, node: ast.With, statement: ast.stmt, call: ast.Call, scope: str
    ) -> Text:
        """Writes the header of a second block in the place of a statement."""
        given = [self._join_lines(a) for a in call.args]
        given += [f"{k.arg}={self._join_lines(k.value)}" for k in call.keywords]
        inner = ", ".join([*given, "reuse=True"])
        indent = self._text.lines[node.lineno - 1][: node.col_offset]
        header = f"{indent}with {self._join_lines(call.func)}({inner}):"
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        comment = self._text.lines[last - 1][statement.end_col_offset :].strip()
        header += f"  {comment}" if comment else ""
        text = self._text.splice(first, last, [header], [self._text.origins[first - 1]])
        at, named = node.lineno, f" as {scope}:"
        opening = text.lines[at - 1]
        if scope and opening.endswith(named):  # Nobody asks for it now.
            opening = opening[: -len(named)] + ":"
            text = text.splice(at, at, [opening], [text.origins[at - 1]])
        return text

    def _names_by_scope(self, node: ast.With, statement: ast.stmt) -> bool:
        """Whether something below may have a name by the scope of operations.

        A scope that is opened again is another of these: `D_1`. Variables of
        `tf.get_variable` have their names by the scope of variables.
        """
        around = set(self._scopes.walk_above(node))
        below = node.body[node.body.index(statement) + 1 :]
        inside = [n for s in below for n in walk_breadth_first(s)]
        for function in self._scopes.walk():
            if isinstance(function, ast.FunctionDef) and function not in around:
                inside += walk_breadth_first(function)
        for inner in inside:
            if not isinstance(inner, ast.Call):
                continue
            symbol = self._scopes.resolve(inner.func) or ""
            if symbol in roles.VARIABLES - {"tf.get_variable"} or "summar" in symbol:
                return True
            path = self._scopes.import_path(inner.func)
            if path and not path.startswith(("tensorflow", "numpy")):
                return True  # It is not known what another module names.
        return False

    def _may_open_again(self, call: ast.Call) -> bool:
        """Whether a call opens a scope of a name, which it does not choose or compute."""
        name = names.find_argument(call, "name_or_scope", 0)
        return (
            self._scopes.resolve(call.func) == "tf.variable_scope"
            and isinstance(name, (ast.Constant, ast.Name))
            and not names.is_none_constant(name)
            and names.find_argument(call, "default_name", 1) is None
            and names.find_argument(call, "reuse", 8) is None
            and all(k.arg is not None for k in call.keywords)
            and not any(isinstance(n, ast.Call) for a in call.args for n in ast.walk(a))
        )

    def _is_read_once(self, bound: ast.Name) -> bool:
        """Whether nobody else asks for a scope: in TensorFlow 1 it goes on reusing."""
        return len(self._scopes.list_reads(bound)) == 1

    def _reuses(self, statement: ast.stmt, scope: str) -> bool:
        if not (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and isinstance(statement.value.func, ast.Attribute)
            and statement.value.func.attr == "reuse_variables"
        ):
            return False
        base = statement.value.func.value
        if isinstance(base, ast.Name):
            return base.id == scope
        return (
            isinstance(base, ast.Call)
            and self._scopes.resolve(base.func) == "tf.get_variable_scope"
        )

    def drop_call_after_cells(self) -> Text | None:
        """Drops `reuse_variables()` in a loop that only applies cells, which it changes not.

        with tf.variable_scope("RNN"):
            for step in range(steps):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(inputs[:, step], state)

        The first round makes the cell's variables. After that the cell has them, and asks no
        scope for them. So the scope must make nothing else.
        """
        for loop in walk_breadth_first(self._tree):
            if not isinstance(loop, ast.For) or len(loop.body) < 2:
                continue
            counter = self._find_counter(loop)
            for statement in loop.body:
                if (
                    isinstance(statement, ast.If)
                    and counter is not None
                    and not statement.orelse
                    and len(statement.body) == 1
                    and self._reuses(statement.body[0], "")
                    and _is_later_round(statement.test, counter)
                    and self._text.is_alone(statement)
                    and self._applies_only_cells(loop, statement)
                ):
                    first, last = statement.lineno, statement.end_lineno
                    return self._text.splice(first, last or first, [], [])
        return None

    def _find_counter(self, loop: ast.For) -> str | None:
        """Returns the name that counts a loop's rounds from zero."""
        iterated, target = loop.iter, loop.target
        if not isinstance(iterated, ast.Call) or iterated.keywords:
            return None
        name = names.find_key(iterated.func) or ""
        if name not in ("range", "xrange", "enumerate") or len(iterated.args) != 1:
            return None
        if self._scopes.find_scope(loop).find_owner(name) is not None:
            return None
        if name == "enumerate":
            if not isinstance(target, ast.Tuple):
                return None
            target = target.elts[0]
        if not isinstance(target, ast.Name):
            return None
        bound = set().union(*(find_plain_names(s, ast.Store) for s in loop.body))
        return None if target.id in bound else target.id

    def _applies_only_cells(self, loop: ast.For, dropped: ast.If) -> bool:
        """Whether each round applies a cell, and the loop's scope makes nothing else."""
        scope: ast.With | None = None
        below: ast.AST = loop
        for above in self._scopes.walk_above(loop):
            if isinstance(above, (ast.FunctionDef, ast.Lambda, ast.For, ast.While)):
                return False
            if isinstance(above, ast.With) and any(
                isinstance(item.context_expr, ast.Call)
                and self._scopes.resolve(item.context_expr.func) == "tf.variable_scope"
                for item in above.items
            ):
                scope = above
                break
            below = above
        if scope is None or not isinstance(below, ast.stmt):
            return False
        gone = set(walk_breadth_first(dropped))
        applied: set[str] = set()
        for statement in scope.body[scope.body.index(below) :]:
            for node in walk_breadth_first(statement):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.With)):
                    return False
                if not isinstance(node, ast.Call) or node in gone:
                    continue
                if self._is_cell(node.func):
                    applied.add(ast.unparse(node.func))
                elif not self._makes_nothing(node):
                    return False
        each_round = {
            ast.unparse(statement.value.func)
            for statement in loop.body
            if isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
        }
        return bool(applied) and applied <= each_round

    def _is_cell(self, function: ast.expr) -> bool:
        """Whether a name stands for recurrent cells only."""
        if not isinstance(function, ast.Name):
            return False
        owner = self._scopes.find_scope(function).find_owner(function.id)
        bound = owner.bindings.get(function.id, []) if owner is not None else []
        return bool(bound) and all(
            isinstance(binding, ast.Assign)
            and isinstance(binding.targets[0], ast.Name)
            and isinstance(binding.value, ast.Call)
            and self._scopes.resolve(binding.value.func) in recurrent.CELLS
            for binding in bound
        )

    def _makes_nothing(self, call: ast.Call) -> bool:
        """Whether a call is known to make no variable."""
        symbol = self._scopes.resolve(call.func) or ""
        if symbol:
            return symbol.startswith(plain_calls.FUNCTIONS) and not symbol.startswith(
                ("tf.variable_scope", "tf.train.", "tf.losses.")
            )
        if isinstance(call.func, ast.Attribute):
            return call.func.attr in ("append", "as_list", "get_shape")
        name = names.find_key(call.func) or ""
        return name in plain_calls.BUILTINS and not (
            self._scopes.find_scope(call).find_owner(name)
        )


def _is_later_round(test: ast.expr, counter: str) -> bool:
    """Whether a test holds in every round but the first."""
    match test:
        case ast.Name(id=name):
            return name == counter
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Gt() | ast.NotEq()], comparators=[number]
        ):
            return name == counter and names.read_literal(number) == 0
    return False
