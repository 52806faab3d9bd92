"""Statements that only made sense beside code that is gone.

A session that is dropped leaves `if is_chief: pass`, an update that is called leaves the name of
its operation, an average that a strategy computes leaves a second name for the gradients. What
the old text had like that already is its author's.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Collection, Iterator
from typing import NamedTuple

from migrate.facts import names
from migrate.source.nodes import parse_source, walk_breadth_first

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
# What reads names by their text.
_LOOKS = frozenset({"locals", "vars", "eval", "exec", "globals"})
_SUITES = ("body", "orelse", "finalbody")
# An update whose operation a session would have run.
_UPDATES = frozenset({"apply_gradients"})


class Edit(NamedTuple):
    """The lines `first` to `last` (from 1) become `lines`."""

    first: int
    last: int
    lines: list[str]


def remove_remains(old: str, new: str) -> str:
    """The new text without what the old one had a use for."""
    tree = parse_source(new)
    if any(
        isinstance(n, ast.Name) and n.id in _LOOKS for n in walk_breadth_first(tree)
    ):
        return new
    lines = new.split("\n")
    edits = list(_Remains(old, tree, lines).find())
    done: set[int] = set()
    for edit in sorted(edits, key=lambda e: (-e.first, e.last)):
        touched = set(range(edit.first, edit.last + 1))
        if not touched & done:  # Another round finds the rest.
            done |= touched
            lines[edit.first - 1 : edit.last] = edit.lines
    return "\n".join(lines)


class _Remains:
    """The useless code that a migration left in a result."""

    def __init__(self, old: str, tree: ast.Module, lines: list[str]) -> None:
        self.tree, self.lines = tree, lines
        # Statements that were useless before are their author's.
        self._useless: list[str] = []
        self._of_author: frozenset[str] = frozenset()
        if old:
            remains = _Remains("", parse_source(old), old.split("\n"))
            list(remains.find())
            self._of_author = frozenset(remains._useless)
        self._shared = {
            name
            for n in walk_breadth_first(tree)
            if isinstance(n, (ast.Global, ast.Nonlocal))
            for name in n.names
        }
        self._imported = {
            (a.asname or a.name).partition(".")[0]
            for n in walk_breadth_first(tree)
            if isinstance(n, (ast.Import, ast.ImportFrom))
            for a in n.names
        }
        self._reads = collections.Counter(
            n.id for n in walk_breadth_first(tree) if isinstance(n, ast.Name)
        )
        before = parse_source(old)
        self._old_read = _find_read(before)
        self._old_stored = _find_stored(before)
        self._old_empty = collections.Counter(map(ast.dump, _find_empty_tests(before)))
        self._old_copies = {
            ast.unparse(n) for n in walk_breadth_first(before) if _is_copy(n)
        }
        self._old_returns = {
            n.name
            for n in walk_breadth_first(before)
            if isinstance(n, _Function) and names.returns_none(n.body[-1])
        }

    def find(self) -> Iterator[Edit]:
        for owner in walk_breadth_first(self.tree):
            for field in _SUITES:
                suite = getattr(owner, field, None)
                if isinstance(suite, list):
                    yield from self._find_in_suite(owner, suite)
            if isinstance(owner, _Function):
                yield from self._find_in_function(owner)

    # -- branches ------------------------------------------------------------------------

    def _find_in_suite(self, owner: ast.AST, suite: list[ast.stmt]) -> Iterator[Edit]:
        for statement in suite:
            if (
                not isinstance(statement, ast.If)
                or self._old_empty[ast.dump(statement.test)]
            ):
                continue
            elif_ = isinstance(owner, ast.If) and self._is_elif(statement)
            if _does_nothing(statement):
                if not elif_:
                    yield from self._remove(statement, suite)
            elif _is_pass(statement.orelse):
                yield from self._remove_else(statement)

    def _is_elif(self, statement: ast.If) -> bool:
        return self.lines[statement.lineno - 1].lstrip().startswith("elif")

    def _remove_else(self, statement: ast.If) -> Iterator[Edit]:
        (last,) = statement.orelse
        end = statement.body[-1].end_lineno or 0
        rest = self.lines[end : last.lineno]
        said = [line.strip() for line in rest if line.strip()]
        if said == ["else:", "pass"]:
            first = next(i for i, line in enumerate(rest, end + 1) if line.strip())
            yield Edit(first, last.lineno, [])

    def _is_of_author(self, statement: ast.stmt) -> bool:
        shown = ast.unparse(statement)
        self._useless.append(shown)
        return shown in self._of_author

    def _remove(self, statement: ast.stmt, suite: list[ast.stmt]) -> Iterator[Edit]:
        if self._is_of_author(statement):
            return
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        indent = self.lines[first - 1][: statement.col_offset]
        taken = self.lines[first - 1 : last]
        if indent.strip() or ";" in taken[0] or _holds_comment(taken):
            return
        if len(suite) > 1:
            above = self.lines[first - 2].strip() if first > 1 else ""
            below = self.lines[last].strip() if last < len(self.lines) else ""
            if not above and not below:
                last += 1  # Of two blank lines around it, one.
            yield Edit(first, min(last, len(self.lines)), [])
        else:
            yield Edit(first, last, [f"{indent}pass"])

    # -- names ---------------------------------------------------------------------------

    def _find_in_function(self, function: _Function) -> Iterator[Edit]:
        read, stored = _find_read(function), _find_stored(function)
        shared = self._shared
        for suite in _walk_suites(function):
            for statement in suite:
                if isinstance(statement, ast.Global):
                    unused = not {*read, *stored}.intersection(statement.names)
                    if unused and self._old_read.issuperset(statement.names):
                        yield from self._remove(statement, suite)
                elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                    yield from self._find_assignment(
                        statement, suite, stored, read, shared
                    )
        yield from self._find_return(function)
        if any(_is_copy(node) for node in function.body):
            yield from self._find_copy(function, stored, shared)

    def _find_assignment(
        self,
        node: ast.Assign,
        suite: list[ast.stmt],
        stored: collections.Counter[str],
        read: Collection[str],
        shared: Collection[str],
    ) -> Iterator[Edit]:
        (target,) = node.targets
        names = _list_names(target)
        if names and set(names) == {"_"} and len(names) > 1:
            if isinstance(node.value, ast.Call):
                yield from self._unname(node)
            return
        if not isinstance(target, ast.Name) or target.id in shared:
            return
        name = target.id
        if isinstance(node.value, ast.Name) and node.value.id == name:
            if stored[name] > 1:
                yield from self._remove(node, suite)
            return
        if name in read or (name in self._old_stored and name not in self._old_read):
            return
        if _is_pure(node.value):
            if not self._reads_last(node.value):
                yield from self._remove(node, suite)
        elif (
            isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr in _UPDATES
        ):
            yield from self._unname(node)

    def _reads_last(self, value: ast.expr) -> bool:
        """Whether an import would be unused without this expression."""
        roots = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        return any(self._reads[name] == 1 for name in roots & self._imported)

    def _unname(self, node: ast.Assign) -> Iterator[Edit]:
        """The value of an assignment as a statement of its own."""
        if self._is_of_author(node):
            return
        first, last = node.lineno, node.end_lineno or node.lineno
        value = node.value
        if value.lineno != first or not self.lines[first - 1].isascii():
            return
        width = value.col_offset - node.col_offset
        taken = self.lines[first - 1 : last]
        begin = taken[0][: node.col_offset] + taken[0][value.col_offset :]
        # What stands below its parenthesis goes along; a text of several lines would change.
        below = node.col_offset + width
        inner = []
        for line in taken[1:]:
            far = len(line) - len(line.lstrip()) > below
            inner.append(line[width:] if far else line)
        edit = Edit(first, last, [begin, *inner])
        if _dump_statement("\n".join(edit.lines)) == ast.dump(ast.Expr(value)):
            yield edit

    def _find_return(self, function: _Function) -> Iterator[Edit]:
        """`return None` at the end of a function that returns nothing else."""
        last = function.body[-1]
        if function.name in self._old_returns or not names.returns_none(last):
            return
        returns = [n for n in walk_breadth_first(function) if isinstance(n, ast.Return)]
        if len(returns) == 1 and len(function.body) > 1:
            yield from self._remove(last, function.body)

    def _find_copy(
        self,
        function: _Function,
        stored: collections.Counter[str],
        shared: Collection[str],
    ) -> Iterator[Edit]:
        """`a = b` of two local names that never change: each `a` becomes `b`."""
        arguments = {
            a.arg for a in walk_breadth_first(function) if isinstance(a, ast.arg)
        }
        inner = {
            id(n)
            for scope in walk_breadth_first(function)
            if isinstance(scope, _SCOPES) and scope is not function
            for n in walk_breadth_first(scope)
        }
        names = [n for n in walk_breadth_first(function) if isinstance(n, ast.Name)]
        within = {n.id for n in names if id(n) in inner}
        for node in function.body:
            if not _is_copy(node) or ast.unparse(node) in self._old_copies:
                continue
            assert isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
            (target,) = node.targets
            assert isinstance(target, ast.Name)
            one, other = target.id, node.value.id
            once = stored[one] == stored[other] == 1
            if not once or {one, other} & (arguments | within | set(shared)):
                continue
            uses = [n for n in names if n.id == one and n is not target]
            made = [n for n in names if n.id == other and isinstance(n.ctx, ast.Store)]
            if made[0].lineno >= node.lineno or any(
                n.lineno <= node.lineno for n in uses
            ):
                continue
            yield from self._remove(node, function.body)
            for line in sorted({n.lineno for n in uses}):
                yield self._rename(line, [n for n in uses if n.lineno == line], other)
            return

    def _rename(self, line: int, uses: list[ast.Name], name: str) -> Edit:
        text = self.lines[line - 1].encode()
        for use in sorted(uses, key=lambda n: -n.col_offset):
            end = use.end_col_offset or 0
            text = text[: use.col_offset] + name.encode() + text[end:]
        return Edit(line, line, [text.decode()])


def _find_read(tree: ast.AST) -> set[str]:
    """Names that are read, changed in place, or deleted somewhere."""
    found = {
        n.id
        for n in walk_breadth_first(tree)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)
    }
    return found | {
        n.target.id
        for n in walk_breadth_first(tree)
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
    }


def _find_stored(tree: ast.AST) -> collections.Counter[str]:
    """Counts how often each name is bound, by any statement."""
    found: collections.Counter[str] = collections.Counter()
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] += 1
        elif isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] += 1
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] += 1
    return found


def _find_empty_tests(tree: ast.AST) -> Iterator[ast.expr]:
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.If) and (_is_pass(node.body) or _is_pass(node.orelse)):
            yield node.test


def _is_pass(suite: list[ast.stmt]) -> bool:
    return len(suite) == 1 and isinstance(suite[0], ast.Pass)


def _does_nothing(node: ast.If) -> bool:
    """Whether no branch of a condition does anything, nor do its tests."""
    if not (_is_pass(node.body) and _is_pure(node.test)):
        return False
    following = node.orelse
    if len(following) == 1 and isinstance(following[0], ast.If):
        return _does_nothing(following[0])
    return not following or _is_pass(following)


def _is_copy(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Name)
    )


def _is_pure(node: ast.expr) -> bool:
    """Whether an expression only looks at names and numbers."""
    return all(
        isinstance(
            n,
            (
                *(ast.Name, ast.Constant, ast.Attribute, ast.UnaryOp, ast.BinOp),
                *(ast.BoolOp, ast.Compare, ast.Tuple, ast.operator, ast.unaryop),
                *(ast.boolop, ast.cmpop, ast.expr_context),
            ),
        )
        for n in ast.walk(node)
    )


def _holds_comment(lines: list[str]) -> bool:
    return any("#" in line for line in lines)


def _list_names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple):
        return [n.id if isinstance(n, ast.Name) else "" for n in target.elts]
    return [target.id] if isinstance(target, ast.Name) else []


def _walk_suites(function: _Function) -> Iterator[list[ast.stmt]]:
    """The suites of a function, without those of functions and classes within it."""
    todo: list[ast.AST] = [function]
    while todo:
        node = todo.pop()
        for field in _SUITES:
            suite = getattr(node, field, None)
            if isinstance(suite, list) and suite:
                yield suite
                todo += [s for s in suite if not isinstance(s, _SCOPES)]
        todo += getattr(node, "handlers", [])


def _dump_statement(text: str) -> str:
    """The tree of one statement, wherever it stands; nothing where it is not one."""
    try:
        (block,) = ast.parse(f"if True:\n {text.lstrip()}").body
    except SyntaxError:
        return ""
    assert isinstance(block, ast.If)
    return ast.dump(block.body[0]) if len(block.body) == 1 else ""
