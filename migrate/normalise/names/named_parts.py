"""TF1 to TF1: parts of tuples, lists and dicts of tensors by the tensors' own names.

    train_op, loss = (update, cost)            train_op = update
                                               loss = cost
    ops = [train_op, loss]
    sess.run(ops[1])                           sess.run(loss)

A run computes what is fetched, and no other part of what it stands in.
"""

from __future__ import annotations

import ast

from migrate.facts import gradient_pairs, loops_over_pairs, names
from migrate.normalise.feeds.view import View
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.program.ir import Kind
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles

_METHODS = roles.OPTIMIZER_METHODS | {"assign", "assign_add", "assign_sub", "apply"}
_UPDATES = frozenset(
    symbol
    for symbol, kind in roles.KIND_OF_CALL.items()
    if kind in (Kind.OPERATION, Kind.ASSIGNMENT)
) | {"tf.control_dependencies"}
# Methods that change a list or dict, also in an expression.
_CHANGING = frozenset({"append", "clear", "extend", "insert", "pop", "popitem"}) | {
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
}
# Expressions that stay in their tuple.
_KEPT = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def split_statements(text: Text) -> Text:
    """The text with such statements taken apart, and such parts by their names."""
    if "Session" not in text.source or "run(" not in text.source:
        return text
    while True:
        parts = _Parts(text)
        new = (
            parts.split_statement() or parts.rewrite_fetches() or parts.rewrite_feeds()
        )
        if new is None:
            return text
        text = new


def separate_tensors(text: Text) -> Text:
    """The text in which each tensor of a tuple has a statement of its own.

    logits, loss = (dense(x), cost(dense(x), y))

    A run of `logits` then does not need `y`. And code that takes only the variables of
    `optimizer.compute_gradients(loss, variables)` goes through the variables.
    """
    while True:
        new = _Parts(text).split_tensors() or _Pairs(text).take_variables()
        if new is None:
            return text
        text = new


class _Parts:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._view = View(text)
        self._blocks = [
            node
            for node in walk_breadth_first(self._view.tree)
            if isinstance(node, ast.With)
            and any(
                isinstance(item.context_expr, ast.Call)
                and self._view.scopes.resolve(item.context_expr.func) in roles.SESSIONS
                for item in node.items
            )
        ]
        self._homes = {self._view.find_function(block) for block in self._blocks}

    def split_statement(self) -> Text | None:
        """The text with one assignment of several names taken apart."""
        for node in walk_breadth_first(self._view.tree):
            if not (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], (ast.Tuple, ast.List))
                and self._view.find_function(node) in self._homes
                and not any(
                    above in self._blocks
                    for above in self._view.scopes.walk_above(node)
                )
                and self._text.is_alone(node)
                and not find_lines_inside_strings(node)
            ):
                continue
            values = self._list_names(node.value)
            targets = [names.find_key(t) for t in node.targets[0].elts]
            if values is None or None in targets or len(targets) != len(values):
                continue
            if not self._updates(set(values), self._view.find_function(node)):
                continue
            pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t != v]
            if any(
                t in [v for _, v in pairs[i + 1 :]] for i, (t, _) in enumerate(pairs)
            ):
                continue  # `a, b = b, a`
            indent = self._view.indent(node)
            origin = self._text.origins[node.lineno - 1]
            lines = [f"{indent}{target} = {value}" for target, value in pairs]
            if not lines and len(self._view.find_suite(node)) == 1:
                lines = [f"{indent}pass"]
            end = node.end_lineno or node.lineno
            return self._text.splice(node.lineno, end, lines, [origin] * len(lines))
        return None

    def split_tensors(self) -> Text | None:
        """The text with one assignment of several expressions taken apart."""
        scopes = self._view.scopes
        for node in walk_breadth_first(self._view.tree):
            if not (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], (ast.Tuple, ast.List))
                and isinstance(node.value, (ast.Tuple, ast.List))
                and len(node.targets[0].elts) == len(node.value.elts)
                and self._view.find_function(node) in self._homes
                and not any(
                    above in self._blocks
                    for above in self._view.scopes.walk_above(node)
                )
                and self._text.is_alone(node)
                and not find_lines_inside_strings(node)
            ):
                continue
            pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
            if any(isinstance(n, _KEPT) for n in walk_breadth_first(node.value)):
                continue
            if any(isinstance(e, ast.Starred) for pair in pairs for e in pair):
                continue
            # If a name is bound only here, nothing can have read another value of it.
            if not all(
                isinstance(target, ast.Name)
                and (owner := scopes.find_scope(target).find_owner(target.id))
                is not None
                and len(owner.bindings.get(target.id, ())) == 1
                for target, _ in pairs
            ):
                continue
            indent = self._view.indent(node)
            lines = [
                f"{indent}{ast.unparse(target)} = {ast.unparse(value)}"
                for target, value in pairs
            ]
            origin = self._text.origins[node.lineno - 1]
            end = node.end_lineno or node.lineno
            return self._text.splice(node.lineno, end, lines, [origin] * len(lines))
        return None

    def _list_names(self, value: ast.expr) -> list[str] | None:
        """The names that a tuple is made of; None if it is made of others."""
        if isinstance(value, ast.Name):
            made = self._find_container(value)
            if made is None or isinstance(made, ast.Dict):
                return None
            value = made
        if not isinstance(value, (ast.Tuple, ast.List)):
            return None
        found = [e.id for e in value.elts if isinstance(e, ast.Name)]
        return found if len(found) == len(value.elts) > 1 else None

    def _updates(self, found: set[str], home: ast.AST) -> bool:
        """Whether one of a function's names may stand for an update."""
        count = 0
        while count != len(found):
            count = len(found)
            for node in walk_breadth_first(home):
                if isinstance(node, ast.Assign) and names.find_binds(node) & found:
                    if any(self._is_update(n) for n in walk_breadth_first(node.value)):
                        return True
                    if any(
                        isinstance(a, ast.With)
                        and any(self._is_update(i.context_expr) for i in a.items)
                        for a in self._view.scopes.walk_above(node)
                    ):
                        return True
                    found |= names.find_reads(node.value)
        return False

    def _is_update(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and (
            self._view.scopes.resolve(node.func) in _UPDATES
            or (isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS)
        )

    def _find_container(self, name: ast.Name) -> ast.Tuple | ast.List | ast.Dict | None:
        """Returns the display bound to a name, if it and its items are bound once."""
        owner = self._view.scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings.get(name.id, []) if owner is not None else []
        made = bound[0] if len(bound) == 1 else None
        if not isinstance(made, ast.Assign) or not isinstance(
            made.value, (ast.Tuple, ast.List, ast.Dict)
        ):
            return None
        if len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
            return None
        values = (
            made.value.values if isinstance(made.value, ast.Dict) else made.value.elts
        )
        assert owner is not None
        for value in values:
            if not isinstance(value, ast.Name):
                continue
            home = self._view.scopes.find_scope(value).find_owner(value.id)
            if home is None or len(home.bindings.get(value.id, [])) != 1:
                return None
        changed = any(
            name.id in names.find_mutations(statement)
            for statement in walk_breadth_first(self._view.tree)
            if isinstance(statement, ast.stmt) and not names.list_suites(statement)
        )
        changed = changed or any(
            self._has_other_name(node)
            for node in walk_breadth_first(self._view.tree)
            if isinstance(node, ast.Name)
            and node.id == name.id
            and isinstance(node.ctx, ast.Load)
            and self._view.scopes.find_scope(node).find_owner(node.id) is owner
        )
        return None if changed else made.value

    def _has_other_name(self, node: ast.AST) -> bool:
        """Whether a container gets another name, by which it may be changed."""
        above = self._view.scopes.parents[node]
        if isinstance(above, ast.Attribute):
            return above.attr in _CHANGING
        if isinstance(above, ast.Assign) and above.value is node:
            # `train_op, loss = parts` names the parts.
            return not all(isinstance(t, (ast.Tuple, ast.List)) for t in above.targets)
        while isinstance(
            above,
            (ast.Tuple, ast.List, ast.Dict, ast.IfExp, ast.BoolOp, ast.keyword),
        ):
            above = self._view.scopes.parents[above]
        if isinstance(above, (ast.Assign, ast.AnnAssign, ast.Return, ast.NamedExpr)):
            return True
        if not isinstance(above, ast.Call) or above.func is node:
            return False
        function = above.func
        return isinstance(function, ast.Name) and (
            self._view.scopes.find_scope(function).find_owner(function.id) is not None
        )

    def rewrite_fetches(self) -> Text | None:
        """The text with parts that runs fetch by their names."""
        edits = []
        for call in walk_breadth_first(self._view.tree):
            if not (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == "run"
            ):
                continue
            fetches = names.find_argument(call, "fetches", 0)
            if fetches is None:
                continue
            for node in walk_breadth_first(fetches):
                part = self._find_part(node)
                if part is not None:
                    edits.append(Edit(node, part))
        return self._text.apply_edits(edits) if edits else None

    def rewrite_feeds(self) -> Text | None:
        """The text with placeholders of tuples, lists and dicts fed by their names.

        net = {"x": x, "loss": loss}
        sess.run(train, {net["x"]: batch})                  sess.run(train, {x: batch})
        """
        edits = []
        for fed in walk_breadth_first(self._view.tree):
            for key in fed.keys if isinstance(fed, ast.Dict) else ():
                value = self._find_item(key)
                if (
                    key is not None
                    and value is not None
                    and self._is_placeholder(value, key)
                ):
                    edits.append(Edit(key, value.id))
        return self._text.apply_edits(edits) if edits else None

    def _is_placeholder(self, name: ast.Name, place: ast.AST) -> bool:
        """Whether a name is a placeholder's only one, and means the same at a place."""
        scopes = self._view.scopes
        owner = scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings.get(name.id, []) if owner is not None else []
        value = getattr(bound[0], "value", None) if len(bound) == 1 else None
        return (
            isinstance(value, ast.Call)
            and scopes.resolve(value.func) in roles.PLACEHOLDERS
            and scopes.find_scope(place).find_owner(name.id) is owner
        )

    def _find_part(self, node: ast.AST) -> str | None:
        value = self._find_item(node)
        if value is None:
            return None
        assert isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        made = self._find_container(node.value)
        assert made is not None
        all_of_it = find_plain_names(made)
        home = self._view.find_function(made)
        return value.id if self._updates(all_of_it, home) else None

    def _find_item(self, node: ast.AST | None) -> ast.Name | None:
        """Returns the name that a part such as `ops[1]` has in its tuple, list or dict."""
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
            return None
        made, key = self._find_container(node.value), names.read_literal(node.slice)
        value: ast.expr | None = None
        if isinstance(made, ast.Dict) and isinstance(key, (str, int)):
            keys = [names.read_literal(k) if k is not None else None for k in made.keys]
            value = made.values[keys.index(key)] if keys.count(key) == 1 else None
        elif isinstance(made, (ast.Tuple, ast.List)) and isinstance(key, int):
            if -len(made.elts) <= key < len(made.elts):
                value = made.elts[key]
        return value if isinstance(value, ast.Name) else None


class _Pairs:
    """Pairs of gradients and variables, of which some code takes only the variables."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._view = View(text)

    def take_variables(self) -> Text | None:
        """The text in which one more loop or comprehension needs no gradient."""
        scopes = self._view.scopes
        if "compute_gradients" not in self._text.source:
            return None
        for pairs in gradient_pairs.find_pairs(scopes):
            for walk in gradient_pairs.find_walks(pairs, scopes):
                halves = None
                if walk.takes_apart:
                    return self._name_halves(walk)
                if not walk.only_variables:
                    halves = loops_over_pairs.split_loop(walk, scopes)
                    if halves is None:
                        continue
                if pairs.name is None:
                    new = self._name_variables(pairs)
                elif not self._means_the_same(pairs, pairs.name, walk):
                    continue
                elif halves is None:
                    new = self._walk_variables(pairs.name, walk)
                else:
                    new = self._split_loop(pairs.name, walk, halves)
                if new is not None:
                    return new
        return self._take_divided()

    def _take_divided(self) -> Text | None:
        """The text in which one more `gradients, variables = zip(*pairs)` is not read.

        Code goes through the list of variables in place of the second half.
        """
        scopes = self._view.scopes
        known = list(gradient_pairs.find_pairs(scopes))
        for statement, made, reads in gradient_pairs.find_divided(scopes):
            if isinstance(made, ast.Call) and self._text.is_alone(statement):
                optimizer = getattr(made.func, "value", None)
                if optimizer is None or names.get_last_part(made.func) != (
                    "compute_gradients"
                ):
                    continue
                if not gradient_pairs.is_optimizer(optimizer, scopes):
                    continue
                name = self._view.choose_free_name("pairs", self._view.tree)
                line = f"{self._view.indent(statement)}{name} = {ast.unparse(made)}"
                origin = self._text.origins[statement.lineno - 1]
                text = self._text.apply_edits([Edit(made, name)])
                return text.splice(
                    statement.lineno, statement.lineno - 1, [line], [origin]
                )
            for pairs in known:
                if made not in pairs.reads:
                    continue
                if pairs.name is None:
                    return self._name_variables(pairs)
                listed = pairs.name
                if all(self._is_owner(pairs, listed, r) for r in reads):
                    return self._text.apply_edits([Edit(r, listed) for r in reads])
        return None

    def _is_owner(self, pairs: gradient_pairs.Pairs, name: str, read: ast.Name) -> bool:
        """Whether the name of the variables is theirs at another place too."""
        scopes = self._view.scopes
        owner = scopes.find_scope(pairs.made).find_owner(name)
        return scopes.find_scope(read).find_owner(name) is owner

    def _means_the_same(
        self, pairs: gradient_pairs.Pairs, name: str, walk: gradient_pairs.Walk
    ) -> bool:
        """Whether the name of the variables is theirs in a loop or comprehension too."""
        return self._is_owner(pairs, name, walk.read) and not any(
            name in find_plain_names(g.target)
            for g in getattr(walk.over, "generators", ())
        )

    def _name_variables(self, pairs: gradient_pairs.Pairs) -> Text | None:
        """The text in which the list of variables has a name before the pairs."""
        if not self._text.is_alone(pairs.made):
            return None
        name = self._view.choose_free_name("trained_variables", self._view.tree)
        indent = self._view.indent(pairs.made)
        line, origin = pairs.made.lineno, self._text.origins[pairs.made.lineno - 1]
        if pairs.variables is not None:
            listed = ast.unparse(pairs.variables)
            text = self._text.apply_edits([Edit(pairs.variables, name)])
        else:
            tensorflow = self._find_tensorflow()
            if tensorflow is None:
                return None
            listed = f"{tensorflow}.trainable_variables()"
            given = [ast.unparse(a) for a in pairs.call.args]
            kept = [ast.unparse(k) for k in pairs.call.keywords if k.arg != "var_list"]
            if len(given) > 1:
                given[1] = name
            else:
                given.append(name if given else f"var_list={name}")
            function = ast.unparse(pairs.call.func)
            new = f"{function}({', '.join([*given, *kept])})"
            text = self._text.apply_edits([Edit(pairs.call, new)])
        return text.splice(line, line - 1, [f"{indent}{name} = {listed}"], [origin])

    def _find_tensorflow(self) -> str | None:
        for node in walk_breadth_first(self._view.tree):
            if isinstance(node, ast.Name) and self._view.scopes.resolve(node) == "tf":
                return node.id
        return None

    def _list_edits(self, name: str, walk: gradient_pairs.Walk) -> list[Edit]:
        """The edits by which a loop or comprehension goes through the variables."""
        edits = [Edit(walk.read, name)]
        if isinstance(walk.target, ast.Tuple):
            return [*edits, Edit(walk.target, ast.unparse(walk.target.elts[1]))]
        each = walk.target.id
        if not isinstance(walk.over, ast.For):
            each = self._view.choose_free_name("variable", self._view.tree)
            edits.append(Edit(walk.target, each))
        return edits + [Edit(half, each) for half in walk.halves]

    def _walk_variables(self, name: str, walk: gradient_pairs.Walk) -> Text:
        return self._text.apply_edits(self._list_edits(name, walk))

    def _name_halves(self, walk: gradient_pairs.Walk) -> Text:
        """The text in which a loop has names for the gradient and the variable."""
        tree = self._view.tree
        gradient = self._view.choose_free_name("gradient", tree)
        variable = self._view.choose_free_name("variable", tree)
        both = f"{gradient}, {variable}"
        whole = isinstance(walk.over, ast.For) and walk.over.target is walk.target
        return self._text.apply_edits(
            [
                Edit(walk.target, both if whole else f"({both})"),
                *[Edit(node, gradient) for node in walk.gradients],
                *[Edit(node, variable) for node in walk.halves],
            ]
        )

    def _split_loop(
        self, name: str, walk: gradient_pairs.Walk, halves: loops_over_pairs.Halves
    ) -> Text | None:
        """The text with two loops: over the variables, then over the pairs."""
        loop = walk.over
        assert isinstance(loop, ast.For)
        end = loop.end_lineno or loop.lineno
        alone = all(self._text.is_alone(s) for s in (loop, *loop.body))
        if not alone or find_lines_inside_strings(loop):
            return None
        if loop.body[0].lineno == loop.lineno:
            return None
        outer, inner = self._view.indent(loop), self._view.indent(loop.body[0])
        origin = self._text.origins[loop.lineno - 1]
        lists = {
            one: listed or self._view.choose_free_name(f"{one}_list", self._view.tree)
            for one, listed in halves.carried.items()
        }
        made = [n for one, n in lists.items() if halves.carried[one] is None]
        lines = [f"{outer}{listed} = []" for listed in made]
        head = self._text.apply_edits(self._list_edits(name, walk))
        header = range(loop.lineno, loop.body[0].lineno)
        lines += [head.lines[n - 1] for n in header]
        origins = [origin] * len(lines)
        below = {s: self._find_lines(s, loop) for s in loop.body}
        for statement in halves.first:
            lines += [self._text.lines[n - 1] for n in below[statement]]
            origins += [self._text.origins[n - 1] for n in below[statement]]
        for one, listed in lists.items():
            if listed in made:
                lines.append(f"{inner}{listed}.append({one})")
                origins.append(origin)
        target, walked = ast.unparse(loop.target), ast.unparse(loop.iter)
        if lists:
            target = f"{self._put_in_brackets(loop.target)}, {', '.join(lists)}"
            walked = f"zip({walked}, {', '.join(lists.values())})"
        lines.append(f"{outer}for {target} in {walked}:")
        origins.append(origin)
        for statement in loop.body:
            if statement not in halves.first:
                lines += [self._text.lines[n - 1] for n in below[statement]]
                origins += [self._text.origins[n - 1] for n in below[statement]]
        return self._text.splice(loop.lineno, end, lines, origins)

    def _put_in_brackets(self, target: ast.expr) -> str:
        spelled = ast.unparse(target)
        return spelled if spelled.startswith("(") else f"({spelled})"

    def _find_lines(self, statement: ast.stmt, loop: ast.For) -> range:
        """The lines of a loop's statement, with comments above it."""
        at = loop.body.index(statement)
        before = loop.body[at - 1].end_lineno if at else None
        first = before + 1 if before else statement.lineno
        return range(first, (statement.end_lineno or statement.lineno) + 1)
