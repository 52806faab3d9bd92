"""Feeds that are computed in the call: brought before it, each value once.

feed = lambda batch: {x: batch}
sess.run(loss, feed(rows))              sess.run(loss, {x: rows})
"""

from __future__ import annotations

import ast
import copy

from migrate.facts import names
from migrate.facts.changed_values import list_parts_before
from migrate.facts.effects import has_effect
from migrate.facts.scopes import Scope
from migrate.normalise.feeds.makers import Makers
from migrate.normalise.feeds.view import (
    Unclear,
    View,
    flatten_expression,
    is_key,
    list_pairs,
)
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first

_DEFERRED = (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp)
# What a call that is written out leaves as it was.
_STEADY = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List),
    *(ast.Subscript, ast.Slice, ast.expr_context),
)


class Order:
    """Keeps the order in which a feed's values are computed."""

    def __init__(self, view: View, makers: Makers) -> None:
        self._view = view
        self._makers = makers

    def hoist_call(self, call: ast.Call) -> Text | None:
        """The call that makes a feed, in a statement of its own before."""
        if self._makers.find_maker(call) is None:
            return None
        statement = self._view.find_statement(call)
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            return None
        if not self._view.text.is_alone(statement):
            return None
        if any(
            isinstance(node, _DEFERRED) for node in self._view.scopes.walk_above(call)
        ):
            return None
        name = self._view.choose_free_name("feed", self._view.find_function(call))
        indent = self._view.indent(statement)
        line = f"{indent}{name} = {flatten_expression(self._view.text, call)}"
        edited = self._view.text.apply_edits([Edit(call, name)])
        return edited.splice(
            statement.lineno,
            statement.lineno - 1,
            [line],
            [self._view.text.origins[call.lineno - 1]],
        )

    def write_out_lambda(self, call: ast.Call) -> Text | None:
        """The feed that a lambda gives, in the place of its call.

        Raises:
          Unclear: the feed could be another one there.
        """
        found = self._find_lambda(call)
        if found is None:
            return None
        assignment, made = found
        here = self._view.scopes.find_scope(call)
        self._check_free_names(made, here)
        bound = names.bind_arguments(call, tuple(a.arg for a in made.args.args))
        if bound is None or len(bound) != len(made.args.args):
            raise Unclear
        lines, given = self._name_arguments(call, made, bound)
        feed = _Given(given).visit(copy.deepcopy(made.body))
        edits = [Edit(call, ast.unparse(feed))]
        text = self._view.text.apply_edits(edits)
        statement = self._view.find_statement(call)
        origin = self._view.text.origins[statement.lineno - 1]
        indent = self._view.indent(statement)
        text = text.splice(
            statement.lineno,
            statement.lineno - 1,
            [indent + line for line in lines],
            [origin] * len(lines),
        )
        name = assignment.targets[0]
        assert isinstance(name, ast.Name)
        reads = [
            node
            for node in self._view.scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == name.id
            and isinstance(node.ctx, ast.Load)
            and (self._view.scopes.find_scope(node).find_owner(node.id))
            is self._view.scopes.find_scope(name)
        ]
        before = assignment.lineno < statement.lineno
        if reads == [call.func] and before and self._view.text.is_alone(assignment):
            if len(self._view.find_suite(assignment)) > 1:
                last = assignment.end_lineno or assignment.lineno
                text = text.splice(assignment.lineno, last, [], [])
        return text

    def _find_lambda(self, call: ast.Call) -> tuple[ast.Assign, ast.Lambda] | None:
        """Finds the lambda that a name always stands for, if it gives a feed."""
        func = call.func
        if not isinstance(func, ast.Name):
            return None
        owner = self._view.scopes.find_scope(func).find_owner(func.id)
        match owner.bindings[func.id] if owner is not None else []:
            case [
                ast.Assign(
                    targets=[ast.Name()], value=ast.Lambda(body=ast.Dict()) as made
                ) as assignment
            ]:
                pass
            case _:
                return None
        shared = any(
            isinstance(node, (ast.Global, ast.Nonlocal)) and func.id in node.names
            for node in self._view.scopes.walk()
        )
        arguments = made.args
        plain = not (
            shared
            or arguments.vararg
            or arguments.kwarg
            or arguments.posonlyargs
            or arguments.kwonlyargs
            or arguments.defaults
        )
        pairs = list_pairs(made.body)
        if not plain or not pairs or not all(is_key(key) for key, _ in pairs):
            return None
        return assignment, made

    def _check_free_names(self, made: ast.Lambda, here: Scope) -> None:
        """Checks that what a lambda reads from outside is the same in another scope.

        Raises:
          Unclear: a name is another one there, or the lambda has scopes of its own.
        """
        inner = self._view.scopes.scope_by_node[made]
        for node in walk_breadth_first(made.body):
            if isinstance(node, (ast.Lambda, ast.comprehension, ast.NamedExpr)):
                raise Unclear
            if isinstance(node, ast.Name):
                owner = self._view.scopes.find_scope(node).find_owner(node.id)
                if owner is not inner and owner is not here.find_owner(node.id):
                    raise Unclear

    def _name_arguments(
        self, call: ast.Call, made: ast.Lambda, bound: dict[str, ast.expr]
    ) -> tuple[list[str], dict[str, ast.expr]]:
        """Lines that compute arguments before, and what stands for each parameter.

        Raises:
          Unclear: an argument must be computed before, and cannot be.
        """
        statement = self._view.find_statement(call)
        reads = [n.id for n in walk_breadth_first(made.body) if isinstance(n, ast.Name)]
        calls = any(isinstance(n, ast.Call) for n in walk_breadth_first(made.body))
        computed = {
            p for p, v in bound.items() if not isinstance(v, (ast.Name, ast.Constant))
        }
        if not computed or (
            len(computed) == 1 and not calls and reads.count(*computed) == 1
        ):
            return [], bound
        before = list_parts_before(self._view.scopes.parents, statement, call)
        steady = before is not None and all(
            isinstance(node, _STEADY)
            for part in before
            for node in walk_breadth_first(part)
        )
        simple = isinstance(statement, (ast.Assign, ast.Expr, ast.Return))
        if not (steady and simple and self._view.text.is_alone(statement)):
            raise Unclear
        lines: list[str] = []
        given: dict[str, ast.expr] = {}
        for parameter, value in bound.items():
            if isinstance(value, ast.Constant):
                given[parameter] = value
                continue
            if isinstance(value, ast.Name) and not calls:
                given[parameter] = value
                continue
            name = self._view.choose_free_name(
                f"{parameter}_fed", self._view.find_function(call)
            )
            lines.append(f"{name} = {flatten_expression(self._view.text, value)}")
            given[parameter] = ast.Name(name)
        return lines, given

    def order_values(self, feed: ast.expr) -> Text | None:
        """Values that two or more calls compute: named in the order of the dict.

        A step function takes its feeds in the order of the placeholders, and only those
        it needs; what the calls do beside (draw from a generator) must not change.
        """
        where: ast.AST = feed
        if isinstance(feed, ast.Name):
            owner = self._view.scopes.find_scope(feed).find_owner(feed.id)
            bindings = owner.bindings.get(feed.id, []) if owner is not None else []
            if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
                return None
            where = bindings[0].value
        given = list_pairs(where) if isinstance(where, ast.Dict) else None
        if given is None:
            return None
        drawn = [
            (key, value) for key, value in given if has_effect(value, self._view.scopes)
        ]
        if len(drawn) < 2:
            return None
        statement = self._view.find_statement(where)
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            return None
        if not self._view.text.is_alone(statement):
            return None
        if any(
            isinstance(node, _DEFERRED) for node in self._view.scopes.walk_above(where)
        ):
            return None
        indent, function = self._view.indent(statement), self._view.find_function(where)
        lines: list[str] = []
        edits: list[Edit] = []
        for key, value in drawn:
            spelled = (names.find_key(key) or "value").rpartition(".")[2]
            name = self._view.choose_free_name(f"{spelled}_feed", function)
            lines.append(
                f"{indent}{name} = {flatten_expression(self._view.text, value)}"
            )
            edits.append(Edit(value, name))
        origin = self._view.text.origins[statement.lineno - 1]
        return self._view.text.apply_edits(edits).splice(
            statement.lineno, statement.lineno - 1, lines, [origin] * len(lines)
        )


class _Given(ast.NodeTransformer):
    """Puts what a lambda is given in the place of its parameters."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)
