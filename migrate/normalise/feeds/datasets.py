"""TF1 to TF1: a dataset of placeholders is what a function makes of them.

    dataset = tf.data.Dataset.from_tensor_slices((x, y))
    dataset = dataset.batch(batch_size)

    def make_dataset(x, y, batch_size):
        dataset = tf.data.Dataset.from_tensor_slices((x, y))
        dataset = dataset.batch(batch_size)
        return dataset
    dataset = make_dataset(x, y, batch_size)

The program makes it anew whenever it feeds the iterator's initializer.
"""

from __future__ import annotations

import ast

from migrate.facts import draws, names, reach
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles

_INITIALIZABLE = "make_initializable_iterator"
# iterator.make_initializer(dataset), of tf.data.Iterator.from_structure.
_INITIALIZER = "make_initializer"


def convert_to_functions(text: Text) -> Text:
    """The text with such functions; the same text if there are none."""
    given_later = _INITIALIZABLE in text.source or _INITIALIZER in text.source
    while given_later and "laceholder" in text.source:
        new = _Datasets(text).rewrite_dataset()
        if new is None:
            break
        text = new
    return text


class _Datasets(ParsedText):
    def rewrite_dataset(self) -> Text | None:
        """Writes one dataset as a function of its own."""
        for node in walk_breadth_first(self._tree):
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in (_INITIALIZABLE, _INITIALIZER)
            ):
                continue
            source = node.func.value
            if node.func.attr == _INITIALIZER:
                if not node.args:
                    continue
                source = node.args[0]
            elif self._scopes.resolve(node.func) is not None and node.args:
                source = node.args[0]  # tf.data.make_initializable_iterator(dataset)
            statement = self._scopes.parents[node]
            if not (
                isinstance(statement, ast.Assign) and self._text.is_alone(statement)
            ):
                continue
            if isinstance(source, ast.Name):
                new = self._write_dataset_function(source, statement)
            else:
                new = self._name_dataset(source, statement)
            if new is not None:
                return new
        return None

    def _name_dataset(self, source: ast.expr, statement: ast.Assign) -> Text | None:
        """`iterator = Dataset.from_tensor_slices(x).make_initializable_iterator()`."""
        if not gives_dataset(self._scopes, source) or not self._list_placeholders(
            source
        ):
            return None
        if self._is_made(source) or "\n" in self._text.find_segment(source):
            return None
        name = self._choose_free_name("dataset")
        indent = self._indent(statement)
        line = f"{indent}{name} = {self._text.find_segment(source)}"
        origin = self._text.origins[statement.lineno - 1]
        text = self._text.apply_edits([Edit(source, name)])
        return text.splice(statement.lineno, statement.lineno - 1, [line], [origin])

    def _write_dataset_function(
        self, source: ast.Name, iterator: ast.Assign
    ) -> Text | None:
        parent = self._scopes.parents[iterator]
        suite = self._tree.body
        if isinstance(parent, ast.stmt):
            suite = next(s for _, s in names.list_suites(parent) if iterator in s)
        before = suite[: suite.index(iterator)]
        scope = self._scopes.find_scope(source).find_owner(source.id)
        bindings = scope.bindings.get(source.id, []) if scope is not None else []
        made = [s for s in before if s in bindings]
        if not made or len(made) != len(bindings):
            return None
        if not all(isinstance(s, ast.Assign) and self._is_plain(s) for s in made):
            return None
        if not gives_dataset(self._scopes, source) or any(
            isinstance(s, ast.Assign) and self._is_made(s.value) for s in made
        ):
            return None
        between = before[before.index(made[0]) : before.index(made[-1])]
        if any(source.id in names.find_reads(s) for s in between if s not in made):
            return None
        placeholders = [p for s in made for p in self._list_placeholders(s)]
        parameters = list(dict.fromkeys(placeholders))
        if not parameters or not all(self._is_settled(s, source.id) for s in made):
            return None
        return self._add_function(source.id, made, parameters)

    def _add_function(
        self, name: str, made: list[ast.stmt], parameters: list[str]
    ) -> Text:
        text = self._text
        function = self._choose_free_name(f"make_{name}")
        given = ", ".join(parameters)
        indent = self._indent(made[-1])
        step = "\t" if indent.endswith("\t") else "    "
        head = text.origins[made[-1].lineno - 1]
        lines, origins = [f"{indent}def {function}({given}):"], [head]
        for statement in made:
            for number in range(
                statement.lineno, (statement.end_lineno or statement.lineno) + 1
            ):
                line = text.lines[number - 1]
                lines.append(step + line if line.strip() else line)
                origins.append(text.origins[number - 1])
        lines += [
            f"{indent}{step}return {name}",
            "",
            f"{indent}{name} = {function}({given})",
        ]
        origins += [head] * 3
        last = made[-1]
        text = text.splice(last.lineno, last.end_lineno or 0, lines, origins)
        for statement in reversed(made[:-1]):
            text = text.splice(
                statement.lineno, statement.end_lineno or statement.lineno, [], []
            )
        return text

    def _is_plain(self, statement: ast.Assign) -> bool:
        return (
            len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and self._text.is_alone(statement)
            and not find_lines_inside_strings(statement)
            and not self._draws(statement)
        )

    def _draws(self, statement: ast.Assign) -> bool:
        """Whether it draws numbers by Python; a dataset's `shuffle` does not."""
        parts = [statement, *reach.find_reached(self._scopes, [statement])]
        return any(
            isinstance(node, ast.Call)
            and draws.draws_by_itself(self._scopes, node)
            and not (
                isinstance(node.func, ast.Attribute)
                and node.func.attr == "shuffle"
                and gives_dataset(self._scopes, node.func.value)
            )
            for part in parts
            for node in walk_breadth_first(part)
        )

    def _is_made(self, value: ast.expr) -> bool:
        """Whether it is a function's dataset of nothing but placeholders already."""
        return (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and not value.keywords
            and bool(value.args)
            and all(
                isinstance(a, ast.Name) and self._is_placeholder(a) for a in value.args
            )
        )

    def _list_placeholders(self, node: ast.AST) -> list[str]:
        found = [
            n
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Load)
            and self._is_placeholder(n)
        ]
        return [n.id for n in sorted(found, key=lambda n: (n.lineno, n.col_offset))]

    def _is_placeholder(self, name: ast.Name) -> bool:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        bindings = owner.bindings.get(name.id, []) if owner is not None else []
        if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
            return False
        target, value = bindings[0].targets[0], bindings[0].value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, made in zip(target.elts, value.elts):
                if isinstance(one, ast.Name) and one.id == name.id:
                    value = made
        return (
            isinstance(value, ast.Call)
            and self._scopes.resolve(value.func) in roles.PLACEHOLDERS
        )

    def _is_settled(self, statement: ast.stmt, own: str) -> bool:
        """Whether what it reads is the same whenever it is executed again."""
        for node in walk_breadth_first(statement):
            if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
                continue
            if node.id == own:
                continue
            owner = self._scopes.find_scope(node).find_owner(node.id)
            if owner is not None and len(owner.bindings.get(node.id, [])) != 1:
                return False
        return True

    def _choose_free_name(self, wish: str) -> str:
        taken = find_plain_names(self._tree)
        taken |= set(self._scopes.module.bindings)
        taken |= {
            n.arg for n in walk_breadth_first(self._tree) if isinstance(n, ast.arg)
        }
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        return name
