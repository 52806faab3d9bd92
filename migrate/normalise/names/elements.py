"""TF1 to TF1: a dataset's element that every branch of an `if` takes is taken after it.

    if training:
        images, labels = train.make_one_shot_iterator().get_next()
    else:
        images, labels = test.make_one_shot_iterator().get_next()

    if training:
        dataset = train
    else:
        dataset = test
    images, labels = dataset.make_one_shot_iterator().get_next()

The branch is one of Python's: the graph has one of the two.
"""

from __future__ import annotations

import ast

from migrate.facts.names import find_free_name
from migrate.normalise.text import Edit, ParsedText, Text, repeat_step
from migrate.source.nodes import walk_breadth_first

_GET_NEXT = "get_next"
_ONE_SHOT = "make_one_shot_iterator"
_MAKES = ("tf.data.make_one_shot_iterator",)


def take_after_branches(text: Text) -> Text:
    """The text with elements that every branch takes taken after them."""
    return repeat_step(text, lambda t: _Branches(t).move_element(), f".{_GET_NEXT}(")


class _Branches(ParsedText):
    def move_element(self) -> Text | None:
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.If) and not self._is_elif(node):
                new = self._take_after(node)
                if new is not None:
                    return new
        return None

    def _is_elif(self, node: ast.If) -> bool:
        above = self._scopes.parents[node]
        column = self._text.find_column(node.lineno, node.col_offset)
        return isinstance(above, ast.If) and self._text.lines[node.lineno - 1][
            column:
        ].startswith("elif")

    def _take_after(self, branch: ast.If) -> Text | None:
        suites = _list_suites(branch)
        elements = [self._find_element(suite) for suite in suites] if suites else []
        found = [e for e in elements if e is not None]
        if not found or len(found) != len(elements):
            return None
        targets = {self._text.find_segment(s.targets[0]) for s, _ in found}
        target = targets.pop()
        if targets or "\n" in target:
            return None
        name = find_free_name(self._tree, "dataset")
        edits: list[Edit] = []
        for statement, dataset in found:
            shown = self._text.find_segment(dataset)
            if "\n" in shown:
                shown = ast.unparse(dataset)
            edits.append(Edit(statement, f"{name} = {shown}"))
        text = self._text.apply_edits(edits)
        line = self._text.lines[branch.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        last = branch.end_lineno or branch.lineno
        return text.splice(
            last + 1,
            last,
            [f"{indent}{target} = {name}.{_ONE_SHOT}().{_GET_NEXT}()"],
            [self._text.origins[found[0][0].lineno - 1]],
        )

    def _find_element(
        self, suite: list[ast.stmt]
    ) -> tuple[ast.Assign, ast.expr] | None:
        """The one statement of a suite, its last, that takes an element; its dataset."""
        last = suite[-1]
        if not (
            isinstance(last, ast.Assign)
            and len(last.targets) == 1
            and self._text.is_alone(last)
            and isinstance(last.value, ast.Call)
            and isinstance(last.value.func, ast.Attribute)
            and last.value.func.attr == _GET_NEXT
        ):
            return None
        others = [
            n
            for s in suite[:-1]
            for n in walk_breadth_first(s)
            if isinstance(n, ast.Attribute) and n.attr == _GET_NEXT
        ]
        dataset = self._find_dataset(last.value.func.value)
        return (last, dataset) if dataset is not None and not others else None

    def _find_dataset(self, iterator: ast.expr) -> ast.expr | None:
        """Returns the dataset of an iterator that the expression itself makes."""
        if not isinstance(iterator, ast.Call):
            return None
        if self._scopes.resolve(iterator.func) in _MAKES and len(iterator.args) == 1:
            return iterator.args[0]
        if (
            isinstance(iterator.func, ast.Attribute)
            and iterator.func.attr == _ONE_SHOT
            and not iterator.args
        ):
            return iterator.func.value
        return None


def _list_suites(branch: ast.If) -> list[list[ast.stmt]]:
    """The suites of `if`, of each `elif`, and of `else`; none if there is no `else`."""
    found = [branch.body]
    rest = branch.orelse
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        found.append(rest[0].body)
        rest = rest[0].orelse
    return [*found, rest] if rest else []
