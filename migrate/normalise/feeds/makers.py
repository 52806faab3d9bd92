"""Functions that make feeds: they give the values, the caller names them."""

from __future__ import annotations

import ast
import re

from migrate.facts import names
from migrate.normalise.feeds.feed_changes import Scattered
from migrate.normalise.feeds.stores import Stores
from migrate.normalise.feeds.view import (
    NOWHERE,
    Unclear,
    View,
    flatten_expression,
    is_key,
    list_pairs,
    list_returns,
    walk_scope,
)
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first


class Makers:
    """Finds such functions, and rewrites them with their callers."""

    def __init__(self, view: View, stores: Stores, scattered: Scattered) -> None:
        self._view = view
        self._stores = stores
        self._scattered = scattered
        # A caller's function, its name of the feed and a placeholder -> the value's name.
        self._given: dict[tuple[int, str, str], str] = {}

    def find_maker(self, call: ast.Call) -> ast.FunctionDef | None:
        """The function of this module that returns a feed, as called here."""
        func = call.func
        found: ast.AST | None = None
        if isinstance(func, ast.Name):
            owner = self._view.scopes.find_scope(func).find_owner(func.id)
            bindings = owner.bindings[func.id] if owner is not None else []
            found = bindings[0] if len(bindings) == 1 else None
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            caller = self._view.find_function(call)
            owner_class = self._view.scopes.parents.get(caller)
            if (
                isinstance(owner_class, ast.ClassDef)
                and isinstance(caller, ast.FunctionDef)
                and caller.args.args
                and caller.args.args[0].arg == func.value.id
            ):
                methods = [
                    m
                    for m in owner_class.body
                    if isinstance(m, ast.FunctionDef) and m.name == func.attr
                ]
                same = (
                    len(methods) == 1
                    and methods[0].args.args
                    and methods[0].args.args[0].arg == func.value.id
                )
                found = methods[0] if same else None
        if not isinstance(found, ast.FunctionDef) or found.decorator_list:
            return None
        given = list_returns(found)
        if not given or not all(self._gives_feed(r, found) for r in given):
            return None
        return found

    def _gives_feed(self, statement: ast.Return, function: ast.FunctionDef) -> bool:
        value = statement.value
        if isinstance(value, ast.Dict):
            given = list_pairs(value)
            return bool(given) and all(is_key(k) for k, _ in given or ())
        if isinstance(value, ast.Name):
            scope = self._view.scopes.scope_by_node[function]
            if scope.find_owner(value.id) is not scope:
                return False
            try:
                stores, _ = self._stores.follow_feed(value.id, scope)
            except Unclear:
                return False
            keys = [k for s in stores for k, _ in s.pairs]
            return bool(keys) and all(is_key(k) for k in keys)
        return False

    def rewrite_maker(self, binding: ast.Assign) -> Text | None:
        """`feed = make(...)`: the function gives values, the caller names them."""
        assert isinstance(binding.value, ast.Call)
        maker = self.find_maker(binding.value)
        assert maker is not None
        inner = self._view.scopes.scope_by_node[maker]
        for statement in list_returns(maker):  # First its own dict, if it has a name.
            if isinstance(statement.value, ast.Name):
                stores, uses = self._stores.follow_feed(statement.value.id, inner)
                return self._scattered.rewrite(stores, uses, inner)
        callers = self._list_callers(maker)
        displays = [r.value for r in list_returns(maker)]
        first = displays[0]
        assert isinstance(first, ast.Dict)
        keys = [ast.unparse(k) for k in first.keys if k is not None]
        for display in displays:
            assert isinstance(display, ast.Dict)
            if [ast.unparse(k) for k in display.keys if k is not None] != keys:
                raise Unclear
        parameters = [a.arg for a in [*maker.args.posonlyargs, *maker.args.args]]
        own = parameters[:1] if isinstance(binding.value.func, ast.Attribute) else []
        dropped = [k for k in keys if k in parameters]
        self._check_dropped(maker, dropped)
        for key in keys:
            root = key.split(".")[0].split("[")[0]
            if root in inner.bindings and root not in (*dropped, *own):
                raise Unclear
        edits: list[Edit] = []
        for display in displays:
            assert isinstance(display, ast.Dict)
            values = [flatten_expression(self._view.text, v) for v in display.values]
            edits.append(Edit(display, ", ".join(values)))
        edits += self._edit_signature(maker, dropped)
        replaced: list[tuple[ast.Assign, list[str]]] = []
        for caller in callers:
            call = caller.value
            assert isinstance(call, ast.Call)
            bound = names.bind_arguments(call, tuple(parameters[len(own) :]))
            if bound is None:
                raise Unclear
            replaced.append(
                (caller, self._call_site(caller, call, bound, keys, dropped, edits))
            )
        text = self._view.text.apply_edits(
            [e for e in edits if not any(e.node is c for c, _ in replaced)]
        )
        for caller, lines in sorted(
            replaced, key=lambda pair: pair[0].lineno, reverse=True
        ):
            origins = [text.origins[caller.lineno - 1]] * len(lines)
            last = caller.end_lineno or caller.lineno
            text = text.splice(caller.lineno, last, lines, origins)
        return text

    def _call_site(
        self,
        caller: ast.Assign,
        call: ast.Call,
        bound: dict[str, ast.expr],
        keys: list[str],
        dropped: list[str],
        edits: list[Edit],
    ) -> list[str]:
        """Writes the caller's new lines, and adds the edits of its uses to `edits`."""
        assert isinstance(caller.targets[0], ast.Name)
        name = caller.targets[0].id
        scope = self._view.scopes.find_scope(caller.targets[0])
        taken: dict[str, str] = {}
        for key in keys:
            placeholder = (
                flatten_expression(self._view.text, bound[key])
                if key in dropped
                else key
            )
            wish = re.sub(r"\W+", "_", placeholder.split(".")[-1]).strip("_")
            if key in dropped and not is_key(bound[key]):
                raise Unclear
            given = self._given.setdefault((id(scope), name, placeholder), "")
            if not given:
                given = self._view.choose_free_name(f"{wish}_feed", scope.node)
                self._given[id(scope), name, placeholder] = given
            taken[placeholder] = given
        uses = [
            node
            for node in walk_scope(scope)
            if isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
        ]
        shown = ", ".join(f"{k}: {v}" for k, v in taken.items())
        # A caller that adds to the feed has a dict of its own.
        added = not all(self._stores.is_feed(node) for node in uses)
        for node in uses if not added else ():
            edit = Edit(node, "{" + shown + "}")
            if not any(e.node is node for e in edits):
                edits.append(edit)
            elif not any(e.node is node and e.new == edit.new for e in edits):
                raise Unclear
        arguments: list[str] = []
        gone = {id(bound[k]) for k in dropped if k in bound}
        for argument in call.args:
            if id(argument) not in gone:
                arguments.append(flatten_expression(self._view.text, argument))
        for keyword in call.keywords:
            if id(keyword.value) not in gone:
                arguments.append(
                    f"{keyword.arg}={flatten_expression(self._view.text, keyword.value)}"
                )
        func = self._view.text.find_segment(call.func)
        targets = ", ".join(taken.values())
        indent = self._view.indent(caller)
        line = f"{indent}{targets} = {func}({', '.join(arguments)})"
        return [line, f"{indent}{name} = {{{shown}}}"] if added else [line]

    def _list_callers(self, maker: ast.FunctionDef) -> list[ast.Assign]:
        """Lists every use of the function, each of which must name its result.

        Raises:
          Unclear: one does something else with it.
        """
        self._given = {}
        callers: list[ast.Assign] = []
        for node in walk_breadth_first(self._view.tree):
            if isinstance(node, ast.Attribute) and node.attr == maker.name:
                reference: ast.expr = node
            elif isinstance(node, ast.Name) and node.id == maker.name:
                reference = node
                if maker not in (
                    (
                        self._view.scopes.find_scope(node).find_owner(node.id)
                        or NOWHERE
                    ).bindings
                ).get(node.id, []):
                    continue
            else:
                continue
            call = self._view.scopes.parents[reference]
            statement = self._view.scopes.parents.get(call)
            if not (
                isinstance(call, ast.Call)
                and call.func is reference
                and isinstance(statement, ast.Assign)
                and statement.value is call
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and self._view.text.is_alone(statement)
                and self.find_maker(call) is maker
            ):
                raise Unclear
            callers.append(statement)
        return callers

    def _check_dropped(self, maker: ast.FunctionDef, dropped: list[str]) -> None:
        """Refuses to drop parameters that are more than keys.

        Raises:
          Unclear: one is read otherwise, or the signature is not plain.
        """
        arguments = maker.args
        if arguments.vararg or arguments.kwarg:
            raise Unclear
        if dropped and (arguments.defaults or arguments.kw_defaults):
            raise Unclear
        keys = {
            id(key)
            for statement in list_returns(maker)
            if isinstance(statement.value, ast.Dict)
            for key in statement.value.keys
        }
        for node in walk_breadth_first(maker):
            if (
                isinstance(node, ast.Name)
                and node.id in dropped
                and id(node) not in keys
            ):
                raise Unclear

    def _edit_signature(self, maker: ast.FunctionDef, dropped: list[str]) -> list[Edit]:
        if not dropped:
            return []
        arguments = [*maker.args.posonlyargs, *maker.args.args]
        kept = ", ".join(
            self._view.text.find_segment(a) for a in arguments if a.arg not in dropped
        )
        # One node that spans all of them.
        span = ast.Constant(None)
        span.lineno, span.col_offset = arguments[0].lineno, arguments[0].col_offset
        span.end_lineno = arguments[-1].end_lineno
        span.end_col_offset = arguments[-1].end_col_offset
        return [Edit(span, kept)]
