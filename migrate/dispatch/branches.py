"""A run whose fetch the host chooses, as a branch for each value that it can be.

    op = train_w if step < 3 else train_b      op = "train_w" if step < 3 else "train_b"
    sess.run([op, loss], feed)                 if op == "train_w":
                                                   sess.run([train_w, loss], feed)
                                               else:
                                                   sess.run([train_b, loss], feed)

The host chooses as before, among names of values in place of values.
"""

from __future__ import annotations

import ast
import itertools

from migrate.dispatch.values import NOTHING, Choice, Values, list_fetched
from migrate.facts.changed_values import list_parts_before
from migrate.normalise.feeds.view import Unclear, View, flatten_expression
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first

# A run becomes so many at most, and the rounds that this takes.
_MOST_VALUES = 8
_MOST_ROUNDS = 32


def split_chosen_runs(text: Text) -> Text:
    """Writes a run for each value in place of runs whose fetches the host chooses."""
    for _ in range(_MOST_ROUNDS):
        new = _split_first(text)
        if new is None:
            break
        text = new
    return text


def _split_first(text: Text) -> Text | None:
    """The text with one choice split; None where there is none left."""
    view = View(text)
    values: Values | None = None
    for call in view.scopes.walk():
        for fetched in list_fetched(view, call):
            if isinstance(fetched, (ast.Name, ast.IfExp, ast.Subscript)):
                values = values or Values(view)
                choice = values.find_choice(fetched)
                if choice is None:
                    continue
                try:
                    split = _Split(view, choice)
                    return split.name_result() or split.write()
                except Unclear:
                    continue
    return None


class _Split:
    """One choice, whose runs become branches."""

    def __init__(self, view: View, choice: Choice) -> None:
        self._view, self._choice = view, choice
        self._text = view.text
        self._inside = {
            id(source): site
            for site in choice.sites
            for node in walk_breadth_first(site)
            for source in choice.sources
            if node is source
        }
        self._tokens = {id(s): f'"{ast.unparse(s)}"' for s in choice.sources}

    def name_result(self) -> Text | None:
        """The text with a name for what a run gives, where its statement calls more.

            log.write("%r" % sess.run(ops[i]))      fetched = sess.run(ops[i])
                                                    log.write("%r" % fetched)

        None if no run needs one. The call stands once, and only the run in branches.
        """
        for site, found in self._choice.sites.items():
            if len(found) == 1:
                continue
            statement = self._view.find_statement(site)
            run = next(
                node
                for node in self._view.scopes.walk_above(site)
                if site in list_fetched(self._view, node)
            )
            assert isinstance(run, ast.Call)
            inside = set(walk_breadth_first(run))
            others = [
                n
                for n in walk_breadth_first(statement)
                if isinstance(n, ast.Call) and n not in inside
            ]
            if not others or not self._may_be_named(statement, run):
                continue
            name = self._view.choose_free_name("fetched", self._view.tree)
            indent = self._view.indent(statement)
            line = f"{indent}{name} = {flatten_expression(self._text, run)}"
            origin = self._text.origins[run.lineno - 1]
            first = statement.lineno
            edited = self._text.apply_edits([Edit(run, name)])
            return edited.splice(first, first - 1, [line], [origin])
        return None

    def _may_be_named(self, statement: ast.stmt, run: ast.Call) -> bool:
        """Whether a run may be made before the other parts of its statement."""
        if isinstance(statement, ast.AugAssign):
            if not isinstance(statement.target, (ast.Name, ast.Attribute)):
                return False
        elif not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
            return False
        before = list_parts_before(self._view.scopes.parents, statement, run)
        return (
            before is not None
            and self._text.is_alone(statement)
            and all(
                isinstance(node, _STEADY)
                for part in before
                for node in walk_breadth_first(part)
            )
        )

    def write(self) -> Text:
        """The text with branches.

        Raises:
          Unclear: a statement that runs it cannot stand in a branch.
        """
        statements: dict[int, tuple[ast.stmt, ast.expr]] = {}
        fixed: set[int] = set()
        edits = [
            Edit(source, self._tokens[id(source)])
            for source in self._choice.sources
            if id(source) not in self._inside
        ]
        for site, found in self._choice.sites.items():
            statement = self._view.find_statement(site)
            if len(found) == 1:
                self._check_fixed(site)
                edits.append(Edit(site, found[0]))
                fixed.add(id(statement))
                continue
            if len(found) > _MOST_VALUES or id(statement) in statements:
                raise Unclear
            self._check_statement(statement, site)
            statements[id(statement)] = statement, site
        if fixed & statements.keys():
            raise Unclear
        unread = self._find_unread() if not statements else []
        gone = {id(s.value) for s in unread}
        text = self._text.apply_edits([e for e in edits if id(e.node) not in gone])
        for assignment in sorted(unread, key=lambda s: s.lineno, reverse=True):
            last = assignment.end_lineno or assignment.lineno
            text = text.splice(assignment.lineno, last, [], [])
        # From the last on: what stands above keeps its lines.
        for statement, site in sorted(
            statements.values(), key=lambda s: s[0].lineno, reverse=True
        ):
            text = self._write_branches(text, statement, site)
        return text

    def _find_unread(self) -> list[ast.Assign]:
        """Finds assignments of values to names that only runs of one value read."""
        sites = {id(n) for s in self._choice.sites for n in walk_breadth_first(s)}
        found = []
        for source in self._choice.sources:
            match self._view.scopes.parents[source]:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) as made:
                    scope = self._view.scopes.find_scope(made)
                    read = any(
                        isinstance(n, ast.Name)
                        and n.id == name
                        and isinstance(n.ctx, ast.Load)
                        and id(n) not in sites
                        and self._view.scopes.find_scope(n).find_owner(name) is scope
                        for n in self._view.scopes.walk()
                    )
                    alone = self._text.is_alone(made)
                    if value is source and alone and not read:
                        if len(self._view.find_suite(made)) > 1:
                            found.append(made)
        return found

    def _check_statement(self, statement: ast.stmt, site: ast.expr) -> None:
        """Checks that the statement does nothing which may come before its choice.

        Raises:
          Unclear: it may, or the statement holds other statements.
        """
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
            raise Unclear
        if not self._text.is_alone(statement) or find_lines_inside_strings(statement):
            raise Unclear
        if any(
            id(n) in self._tokens and self._inside.get(id(n)) is not site
            for n in walk_breadth_first(statement)
        ):
            raise Unclear  # It makes what it chooses from.
        if any(
            isinstance(a, _LATER) for a in self._list_nodes_between(statement, site)
        ):
            raise Unclear  # It may be done never, later or several times.
        if isinstance(site, ast.Name):
            return
        calls = [
            n
            for n in walk_breadth_first(site)
            if isinstance(n, ast.Call) and id(n) not in self._tokens
        ]
        alone = isinstance(statement, (ast.Assign, ast.Expr)) and any(
            site in list_fetched(self._view, n)
            for n in walk_breadth_first(statement)
            if n is statement.value
        )
        if calls and not alone:
            raise Unclear

    def _check_fixed(self, site: ast.expr) -> None:
        """Checks that nothing is lost with an expression that has one value.

        Raises:
          Unclear: it calls something, or its error may be caught.
        """
        if isinstance(site, ast.Name):
            return
        if any(isinstance(n, _EFFECTS) for n in walk_breadth_first(site)) or any(
            isinstance(above, ast.Try) for above in self._view.scopes.walk_above(site)
        ):
            raise Unclear

    def _list_nodes_between(self, statement: ast.stmt, site: ast.expr) -> list[ast.AST]:
        found = []
        for above in self._view.scopes.walk_above(site):
            if above is statement:
                break
            found.append(above)
        return found

    def _write_branches(self, text: Text, statement: ast.stmt, site: ast.expr) -> Text:
        found = self._choice.sites[site]
        indent = self._view.indent(statement)
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        above: list[str] = []
        if isinstance(site, ast.IfExp) and self._is_one_condition(site):
            heads = [f"if {flatten_expression(self._text, site.test)}:", "else:"]
            found = [ast.unparse(site.body), ast.unparse(site.orelse)]
        else:
            name = site.id if isinstance(site, ast.Name) else ""
            if not name:
                name = self._view.choose_free_name("chosen", self._view.tree)
                above = [f"{indent}{name} = {self._write_tokens(site)}"]
            values = [value for value in found if value != NOTHING]
            tests = [f'if {name} == "{value}":' for value in values]
            if values == found:
                tests.pop()
            heads = [*tests[:1], *(f"el{test}" for test in tests[1:]), "else:"]
            found = values
        step = "\t" if indent.endswith("\t") else _find_step(self._text)
        lines, origins = list(above), [text.origins[first - 1]] * len(above)
        for head, value in itertools.zip_longest(heads, found):
            lines.append(indent + head)
            origins.append(text.origins[first - 1])
            if value is None:
                lines.append(f"{indent}{step}{_NO_FETCH}")
                origins.append(text.origins[first - 1])
                continue
            one = text.apply_edits([Edit(site, value)])
            for number in range(first, last + 1):
                line = one.lines[number - 1]
                lines.append(
                    step + line
                    if not line.startswith(indent)
                    else indent + step + line[len(indent) :]
                )
                origins.append(text.origins[number - 1])
        return text.splice(first, last, lines, origins)

    def _is_one_condition(self, site: ast.IfExp) -> bool:
        """Whether it is `a if condition else b`, of two values' names."""
        return all(id(part) in self._tokens for part in (site.body, site.orelse))

    def _write_tokens(self, site: ast.expr) -> str:
        """An expression that gives the name of a value in place of the value."""
        inner = [
            Edit(s, self._tokens[id(s)])
            for s in self._choice.sources
            if self._inside.get(id(s)) is site
        ]
        edited = self._text.apply_edits(inner)
        if site.lineno != site.end_lineno:
            if inner:
                raise Unclear
            return flatten_expression(self._text, site)
        line, before = edited.lines[site.lineno - 1], self._text.lines[site.lineno - 1]
        start = self._text.find_column(site.lineno, site.col_offset)
        after = len(before) - self._text.find_column(
            site.lineno, site.end_col_offset or 0
        )
        return line[start : len(line) - after]


# What a run of None ends in.
_NO_FETCH = (
    "raise TypeError(\"Fetch argument None has invalid type <class 'NoneType'>\")"
)
# What gives the same before and after a run.
_STEADY = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List),
    *(ast.BinOp, ast.operator, ast.expr_context),
)
_EFFECTS = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_LATER = (
    *(ast.Lambda, ast.IfExp, ast.BoolOp),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _find_step(text: Text) -> str:
    """One level of indentation."""
    two = any(
        line.startswith("  ") and not line.startswith("   ") for line in text.lines
    )
    return "  " if two else "    "
