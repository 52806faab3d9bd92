"""A file of several programs of which a process runs one, in branches of an `if`.

    if FLAGS.job_name is None:          if not FLAGS.distributed:
        with tf.Session() as sess:          train_alone()
            ...                             return
    else:                               server = tf.train.Server(...)
        server = tf.train.Server(...)   ...
        ...

Each is a program of its own: it is migrated with the other branches left out, and what only
these call, and passes all gates so. What is written for it takes its place, where all that
stands around has come out alike.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Sequence

from migrate.facts import fall_through, names, one_of, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, move_finding
from migrate.migration import Migration
from migrate.normalise.calls.early_returns import add_else
from migrate.normalise.text import Text
from migrate.several import regions
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

# What stays where it is, with what is above it.
_STAYS = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
)
# What a test may call and change nothing.
_LOOKED_UP = frozenset({"len", "bool", "os.environ.get", "os.getenv"})
# More branches than any program has.
_ROUNDS = 20


def migrate_branches(
    text: str, migrate: Callable[[str], Migration]
) -> Migration | None:
    """The migration of a file of such programs; None if it is no such file.

    Args:
      migrate: what migrates the text of one program, and judges it.

    Returns:
      The migration; the text as it was, with the reasons, where a program is refused, or
      what programs share would have to be different for each.
    """
    whole = Text.read_source(text)
    for _ in range(_ROUNDS):
        branches = _Branches(whole)
        closed = branches.close()
        if closed is None:
            break
        whole = closed
    done: Migration | None = None
    for attempt in (whole, branches.spread()):
        if attempt is not None:
            done = _migrate_divided(text, attempt, migrate)
            if done is None or done.text != text:
                break
    return done


def _migrate_divided(
    text: str, whole: Text, migrate: Callable[[str], Migration]
) -> Migration | None:
    """The migration of a text of which all branches are closed."""
    divided = _Branches(whole).divide()
    if divided is None:
        return None
    refusals: list[Finding] = []
    done = regions.migrate_regions(whole.source, divided, migrate, refusals)
    if done is None:
        done = Migration(text, refusals)
    elif done.text == whole.source:
        return None
    findings = [move_finding(f, whole.origins) for f in done.findings]
    return dataclasses.replace(done, findings=tuple(sorted(set(findings))))


class _Branches:
    """The branches of a text that open the sessions of different programs."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._scopes = build_scopes(parse_source(text.source))
        self._openings = set(regions.find_openings(self._scopes))
        self._branch = self._find() if len(self._openings) > 1 else None

    def close(self) -> Text | None:
        """The text with one more of its branches closed; None if all are.

        A branch is closed if an `else` of its own has what is done else.
        """
        branch = self._branch
        while branch is not None:
            if not branch.orelse:
                rest = _find_rest(self._scopes, branch)
                if not all(map(self._text.is_alone, (*branch.body, *rest))):
                    return None
                return add_else(self._text, branch, rest)
            inner = _find_inner(branch)
            if inner is not None and self._is_elif(branch, inner):
                return self._split_branch(branch, inner)
            branch = inner if inner is not None and self._find_parts(inner) else None
        return None

    def spread(self) -> Text | None:
        """Copies the statements around the branches into each of them, if possible.

        A worker needs its own ones: the data it draws from, its writer of losses.
        """
        branch = self._branch
        if branch is None or not branch.orelse:
            return None
        suite = _find_suite(self._scopes, branch)
        at = suite.index(branch)
        head: list[ast.stmt] = []
        for statement in reversed(suite[:at]):
            if not self._may_follow(statement, branch.test):
                break
            head.insert(0, statement)
        tail = suite[at + 1 :]
        if any(isinstance(s, _STAYS) for s in tail):
            tail = []
        ways = (branch.body, branch.orelse)
        parts = (*head, *tail, *ways[0], *ways[1])
        if not (head or tail) or not all(map(self._text.is_alone, parts)):
            return None
        return _write_into_branches(self._text, branch, head, tail)

    def _may_follow(self, statement: ast.stmt, test: ast.expr) -> bool:
        """Whether a test gives the same if it is asked before a statement.

        It is asked of values that nothing in the file changes but where they are bound.
        """
        if isinstance(statement, _STAYS) or isinstance(
            getattr(statement, "value", None), ast.Constant
        ):
            return False
        asked = set(walk_breadth_first(test))
        if any(
            isinstance(n, ast.Call) and ast.unparse(n.func) not in _LOOKED_UP
            for n in asked
        ):
            return False
        objects = {
            n.value.id
            for n in asked
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
        }
        plain = {n.id for n in asked if isinstance(n, ast.Name)} - objects
        parts = {n.attr for n in asked if isinstance(n, ast.Attribute)}
        if (objects | plain) & names.find_binds(statement):
            return False
        if plain & find_plain_names(statement):
            return False
        return not any(
            (isinstance(n, ast.Attribute) and n.attr in parts | {"putenv"})
            and not isinstance(n.ctx, ast.Load)
            or (isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load))
            and ast.unparse(n.value) in ("os.environ", "environ")
            or (isinstance(n, ast.Global) and plain & set(n.names))
            or (isinstance(n, ast.Name) and n.id == "setattr")
            for n in walk_breadth_first(self._scopes.tree)
        )

    def divide(self) -> list[regions.Region] | None:
        """The regions of the programs; None if they are not known to be apart."""
        if self._branch is None:
            return None
        programs = self._list_programs(self._branch)
        if not regions.has_one_cluster(self._scopes, programs):
            return None
        found = [
            regions.Region(tuple(program), frozenset({number}), closes=True)
            for number, program in enumerate(programs)
        ]
        found += [
            regions.Region((definition,), owners, ())
            for definition, owners in regions.find_shared_definitions(
                self._scopes, programs
            )
        ]
        of_one = {
            node
            for region in found
            if len(region.owners) == 1
            for s in region.statements
            for node in walk_breadth_first(s)
        }
        if not self._openings <= of_one:
            return None  # Other code comes to a session too.
        return sorted(found, key=lambda region: region.first)

    def _find(self) -> ast.If | None:
        """Finds the outermost `if` with all sessions in its branches, some in each."""
        for node in walk_breadth_first(self._scopes.tree):
            if isinstance(node, ast.If) and self._find_parts(node) == self._openings:
                if one_of.runs_once(self._scopes, node):
                    return node
        return None

    def _find_parts(self, branch: ast.If) -> set[ast.Call]:
        """Returns the sessions of both branches; none if they are not separate."""
        rest = branch.orelse or _find_rest(self._scopes, branch)
        one, other = (
            self._find_opened_sessions(branch.body),
            self._find_opened_sessions(rest),
        )
        return one | other if one and other and not one & other else set()

    def _find_opened_sessions(self, statements: Sequence[ast.stmt]) -> set[ast.Call]:
        """The sessions that statements open, and the functions that they may call."""
        roots = [*statements, *reach.find_reached(self._scopes, statements)]
        return {n for r in roots for n in walk_breadth_first(r) if n in self._openings}

    def _list_programs(self, branch: ast.If) -> list[list[ast.stmt]]:
        found: list[list[ast.stmt]] = []
        for way in (branch.body, branch.orelse):
            only = way[0] if len(way) == 1 else None
            if isinstance(only, ast.If) and self._find_parts(only):
                found += self._list_programs(only)
            else:
                found.append(way)
        return found

    def _is_elif(self, branch: ast.If, inner: ast.If) -> bool:
        return inner.col_offset == branch.col_offset

    def _split_branch(self, branch: ast.If, inner: ast.If) -> Text:
        """`elif` as an `if` in an `else`."""
        text = self._text
        indent = text.find_indentation(branch)
        step = text.find_indentation(branch.body[0])[len(indent) :]
        lines, origins = text.indent_statements([inner], indent, step)
        at = next(i for i, line in enumerate(lines) if line.strip().startswith("elif"))
        lines[at] = lines[at].replace("elif", "if", 1)
        end = inner.end_lineno or inner.lineno
        return text.splice(
            end - len(lines) + 1,
            end,
            [f"{indent}else:", *lines],
            [text.origins[inner.lineno - 1], *origins],
        )


def _find_inner(branch: ast.If) -> ast.If | None:
    """Returns the `if` that is the whole `else`, such as an `elif`."""
    only = branch.orelse[0] if len(branch.orelse) == 1 else None
    return only if isinstance(only, ast.If) else None


def _find_rest(scopes: Scopes, branch: ast.If) -> list[ast.stmt]:
    """Returns the statements below a branch, if the branch never reaches them."""
    if not fall_through.leaves(branch.body):
        return []
    suite = _find_suite(scopes, branch)
    return suite[suite.index(branch) + 1 :]


def _find_suite(scopes: Scopes, statement: ast.stmt) -> list[ast.stmt]:
    around = scopes.parents[statement]
    suites = names.list_suites(around)  # type: ignore[arg-type]
    return next(suite for _, suite in suites if statement in suite)


def _write_into_branches(
    text: Text, branch: ast.If, head: list[ast.stmt], tail: list[ast.stmt]
) -> Text:
    """The text with what is above an `if`, and below it, in both of its branches."""
    indent = text.find_indentation(branch)
    step = text.find_indentation(branch.body[0])[len(indent) :]
    above = text.indent_statements(head, indent, step) if head else ([], [])
    below = text.indent_statements(tail, indent, step) if tail else ([], [])

    def take(first: int, last: int) -> tuple[list[str], list[int]]:
        return [*text.lines[first - 1 : last]], [*text.origins[first - 1 : last]]

    asked = branch.test.end_lineno or branch.test.lineno
    middle = branch.body[-1].end_lineno or branch.body[-1].lineno
    other = next(
        line
        for line in range(middle + 1, branch.orelse[0].lineno)
        if text.lines[line - 1].lstrip().startswith("else")
    )
    end = branch.end_lineno or branch.lineno
    first = end_of_head = branch.lineno
    if head:
        end_of_head = (head[-1].end_lineno or head[-1].lineno) + 1
        first = end_of_head - len(above[0])
    parts = [
        take(end_of_head, asked),
        *(above, take(asked + 1, middle)),
        *([] if fall_through.leaves(branch.body) else [below]),
        *(take(middle + 1, other), above, take(other + 1, end)),
        *([] if fall_through.leaves(branch.orelse) else [below]),
    ]
    last = (tail[-1].end_lineno or tail[-1].lineno) if tail else end
    return text.splice(
        first,
        last,
        [line for lines, _ in parts for line in lines],
        [origin for _, origins in parts for origin in origins],
    )
