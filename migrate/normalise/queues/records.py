"""Finds the statements that make a queue's records, and checks them for a dataset.

What a batch is made of is followed back to the elements it is made from, in the suite
where the batch stands. A statement is moved into the dataset's function where TF1 ran it
for each record; what else used its names would have used another record.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.reach import find_reached
from migrate.normalise.queues.view import GET_NEXT, Unread, View
from migrate.normalise.text import find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first
from migrate.tables import queues as table
from migrate.tables import roles

_MEANT = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_GIVEN = frozenset({"get_next", "dequeue", "dequeue_many", "placeholder"})
_ELSEWHERE = "Take the value from the batch, or make a dataset for this use alone."


@dataclasses.dataclass(frozen=True)
class Source:
    """A statement that takes one element of a dataset.

    Attributes:
      statement: `image, label = records.make_one_shot_iterator().get_next()`.
      dataset: the dataset's name.
    """

    statement: ast.Assign
    dataset: str

    @property
    def target(self) -> ast.expr:
        return self.statement.targets[0]


class Records:
    """The records of one batch.

    Args:
      call: makes the batch.
      given: what it is given.
    """

    def __init__(self, view: View, call: ast.Call, given: ast.expr) -> None:
        self._view, self._call, self._given = view, call, given

    def find_sources(self, end: ast.stmt) -> list[Source]:
        """Elements that are taken before, in the suite of `end`."""
        found = []
        suite = self._view.find_suite(end)
        for statement in suite[: suite.index(end)]:
            if (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.value, ast.Call)
                and self._view.flatten_expression(statement.value).endswith(GET_NEXT)
            ):
                dataset = self._view.flatten_expression(statement.value)[
                    : -len(GET_NEXT)
                ]
                if dataset.isidentifier():
                    found.append(Source(statement, dataset))
        return found

    def find_part(self, end: ast.stmt) -> tuple[list[Source], list[ast.stmt]]:
        """Finds the batch's sources, and the statements that make its records.

        Args:
          end: the statement before which they stand.

        Raises:
          Unread: they are not statements of one suite, or their names mean something
            else too.
        """
        suite = self._view.find_suite(end)
        before = suite[: suite.index(end)]
        needed = names.find_reads(self._given)
        sources: list[Source] = []
        for source in self.find_sources(end):
            if self._reaches(source, before, needed):
                sources.append(source)
        if not sources:
            self._check_made_of_nothing(self._given, set())
        moved = self._find_depending(sources, before)
        moved = self._find_statements_per_record(moved, before)
        self._check_moved(sources, moved, before)
        self._check_elsewhere(sources, moved, end)
        return sources, moved

    def _check_made_of_nothing(self, node: ast.AST, seen: set[ast.AST]) -> None:
        """Refuses a batch without a source that may still depend on input."""
        for name in walk_breadth_first(node):
            if not (isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)):
                continue
            for binding in self._view.list_bindings(name):
                if binding in seen or isinstance(binding, _MEANT):
                    continue
                seen.add(binding)
                value = binding.value if isinstance(binding, ast.Assign) else None
                elements = value is None or any(
                    isinstance(n, ast.Attribute) and n.attr in _GIVEN
                    for n in walk_breadth_first(value)
                )
                if value is None or elements or self._is_set(name.id):
                    raise Unread(
                        self._view,
                        self._call,
                        "I120",
                        "the tool cannot tell that the queue's records are read in "
                        "the same block",
                        "Read the data with tf.data.",
                    )
                self._check_made_of_nothing(value, seen)

    def _is_set(self, name: str) -> bool:
        """Whether attributes of an object are set, which may be elements."""
        return any(
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and names.find_key(node.value) == name
            for node in walk_breadth_first(self._view.scopes.tree)
        )

    def _reaches(
        self, source: Source, before: list[ast.stmt], needed: set[str]
    ) -> bool:
        bound = set(names.find_binds(source.statement))
        for statement in before[before.index(source.statement) + 1 :]:
            if _touches(statement, bound):
                bound |= _find_changes(statement)
            else:
                bound -= names.find_binds(statement)
        return bool(_find_roots(needed) & _find_roots(bound))

    def _find_depending(
        self, sources: list[Source], before: list[ast.stmt]
    ) -> list[ast.stmt]:
        """Statements before the batch that use the sources' elements, in order."""
        starts = {s.statement for s in sources}
        bound: set[str] = set()
        moved: list[ast.stmt] = []
        for statement in before:
            if statement in starts:
                bound |= names.find_binds(statement)
            elif _touches(statement, bound):
                bound |= _find_changes(statement)
                moved.append(statement)
            else:
                bound -= names.find_binds(statement)
        return moved

    def _find_statements_per_record(
        self, moved: list[ast.stmt], before: list[ast.stmt]
    ) -> list[ast.stmt]:
        """Adds the graph statements that only records use: TF1 ran them per record."""
        while True:
            needed = names.find_reads(self._given).union(
                *[names.find_reads(s) for s in moved]
            )
            more: list[ast.stmt] = [
                s
                for s in before
                if s not in moved
                and isinstance(s, ast.Assign)
                and self._is_graph(s.value)
                and names.find_binds(s) & needed
                and self._is_only_read_in(
                    s, [*moved, *_find_shape_statements(s, before)]
                )
            ]
            if not more:
                break
            more += [e for s in more for e in _find_shape_statements(s, before)]
            moved = [s for s in before if s in moved or s in more]
        for root in [self._given, *moved]:
            for node in walk_breadth_first(root):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    for binding in self._view.list_bindings(node):
                        if binding not in moved and self._changes_anew(binding):
                            raise self._make_unread_record(
                                node,
                                f"uses `{node.id}`, which is computed anew for each "
                                "record and also used elsewhere",
                            )
        return moved

    def _is_graph(self, value: ast.expr) -> bool:
        """Whether an expression adds operations to the graph, and no element of input."""
        symbols = [
            self._view.scopes.resolve(n.func) or ""
            for n in walk_breadth_first(value)
            if isinstance(n, ast.Call)
        ]
        elements = any(
            isinstance(n, ast.Attribute) and n.attr in roles.ITERATES
            for n in walk_breadth_first(value)
        )
        return not elements and any(
            s.startswith("tf.")
            and s not in table.INPUT
            and not s.startswith(roles.DATASET_PREFIXES)
            and not roles.has_prefix(s, roles.HOST_PREFIXES)
            for s in symbols
        )

    def _is_only_read_in(self, statement: ast.Assign, moved: list[ast.stmt]) -> bool:
        """Whether what a statement binds is read in `moved`, or the batch, alone."""
        inside = {n for s in [*moved, statement] for n in walk_breadth_first(s)}
        inside |= set(walk_breadth_first(self._given))
        home = self._view.find_home(statement)
        return all(
            node in inside
            for name in names.find_binds(statement)
            for node in self._view.loads(name, home)
        )

    def _changes_anew(self, binding: ast.AST) -> bool:
        """Whether it is bound to what has another value each time it is computed."""
        if not isinstance(binding, ast.Assign):
            return False
        return any(
            (self._view.scopes.resolve(n.func) or "").startswith(table.ANEW)
            for n in walk_breadth_first(binding.value)
            if isinstance(n, ast.Call)
        )

    def _check_moved(
        self, sources: list[Source], moved: list[ast.stmt], before: list[ast.stmt]
    ) -> None:
        own: set[str] = set()
        for statement in [*(s.statement for s in sources), *moved]:
            own |= {n for n in names.find_binds(statement) if "." not in n}
        known = {n for s in sources for n in names.find_binds(s.statement)}
        for statement in moved:
            if not self._view.text.is_alone(statement) or find_lines_inside_strings(
                statement
            ):
                raise self._make_unread_record(
                    statement, "shares its line with other code"
                )
            if isinstance(statement, ast.Assign):
                first = names.find_reads(statement.value)
            elif isinstance(statement, (ast.AugAssign, ast.Expr)):
                first = names.find_reads(statement)
            else:
                first = names.find_reads(statement) - names.find_binds(statement)
            if (first & own) - known:
                raise self._make_unread_record(
                    statement, "uses a name for a record and for something else"
                )
            known |= names.find_binds(statement)
            self._check_calls(statement)
            later = before[before.index(statement) + 1 :]
            outside = names.find_reads(statement) - own
            for other in later:
                if other not in moved and names.find_binds(other) & outside:
                    raise self._make_unread_record(
                        statement, "uses a name that is bound again before the batch"
                    )

    def _check_calls(self, statement: ast.stmt) -> None:
        """Refuses a statement that a dataset's function cannot run."""
        for root in [statement, *find_reached(self._view.scopes, [statement])]:
            for node in walk_breadth_first(root):
                if isinstance(node, (ast.Name, ast.Attribute)):
                    symbol = self._view.scopes.resolve(node) or ""
                    if symbol.startswith(table.NOT_OF_A_RECORD):
                        raise Unread(
                            self._view,
                            statement,
                            "I120",
                            f"{symbol} uses a single record, before it is part "
                            "of a batch",
                            "Make it from the batch.",
                        )
        for node in names.walk_scope(statement):
            if isinstance(node, (ast.Return, ast.Yield, ast.Break, ast.Continue)):
                raise self._make_unread_record(statement, "ends the block")

    def _check_elsewhere(
        self, sources: list[Source], moved: list[ast.stmt], end: ast.stmt
    ) -> None:
        """Refuses a record that code after the batch uses."""
        records: set[str] = set()
        for made in [*(s.statement for s in sources), *moved]:
            records |= names.find_binds(made) | names.find_mutations(made)
        inner = {n for s in moved for n in walk_breadth_first(s)}
        records -= names.find_binds(end)
        statement: ast.stmt = end
        while records:
            suite = self._view.find_suite(statement)
            for other in suite[suite.index(statement) + 1 :]:
                self._check_after(other, records)
            above = self._view.scopes.parents[statement]
            if not isinstance(above, ast.stmt) or isinstance(above, ast.FunctionDef):
                break
            statement = above
        home = self._view.find_home(end)
        for node in walk_breadth_first(home):
            if isinstance(node, ast.FunctionDef) and node is not home:
                if node not in inner and names.find_free_names(node) & records:
                    raise self._make_unread_record(node, "uses a record in a function")

    def _check_after(self, statement: ast.stmt, records: set[str]) -> None:
        """Refuses uses of `records`, and drops those that the statement rebinds."""
        nested = [inner for _, suite in names.list_suites(statement) for inner in suite]
        below = {n for inner in nested for n in walk_breadth_first(inner)}
        used: set[str] = set()
        for node in walk_breadth_first(statement):
            if isinstance(node, (ast.Name, ast.Attribute)) and node not in below:
                if isinstance(node.ctx, ast.Load):
                    used.add(names.find_key(node) or "")
        if used & records:
            raise Unread(
                self._view,
                statement,
                "I120",
                f"`{min(used & records)}` is a single record, but the program also "
                "uses it beside its batch",
                _ELSEWHERE,
            )
        if not nested:
            records -= names.find_binds(statement)
        for _, suite in names.list_suites(statement):
            left = set(records)  # A branch may not be taken.
            for inner in suite:
                self._check_after(inner, left)
            if isinstance(statement, ast.With):
                records &= left

    def _make_unread_record(self, node: ast.AST, why: str) -> Unread:
        return Unread(
            self._view,
            node,
            "I120",
            f"what makes a record {why}",
            "Write a function of one record, and give it to tf.data's map.",
        )


def _find_shape_statements(
    statement: ast.stmt, before: list[ast.stmt]
) -> list[ast.stmt]:
    """Statements `image.set_shape(...)` of what a statement binds."""
    return [
        s
        for s in before
        if isinstance(s, ast.Expr)
        and names.find_mutations(s) & names.find_binds(statement)
    ]


def _find_roots(found: set[str]) -> set[str]:
    return {n.partition(".")[0] for n in found}


def _touches(statement: ast.stmt, bound: set[str]) -> bool:
    """Whether a statement uses what is bound, or changes an object of it."""
    return bool(
        bound & (names.find_reads(statement) | _find_roots(names.find_reads(statement)))
    ) or (bool(bound & names.find_mutations(statement)))


def _find_changes(statement: ast.stmt) -> set[str]:
    return names.find_binds(statement) | names.find_mutations(statement)
