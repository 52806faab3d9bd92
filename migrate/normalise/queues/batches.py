"""Batches of a queue as batches of a dataset, with what makes a record as its map.

    line = records.make_one_shot_iterator().get_next()
    x, y = tf.decode_csv(line, [[0.0], [0]])
    xs, ys = tf.train.batch([x, y], 32)

    def make_record(line):
        x, y = tf.decode_csv(line, [[0.0], [0]])
        return x, y
    batches = records.map(make_record).batch(32, drop_remainder=True)
    xs, ys = batches.make_one_shot_iterator().get_next()

In TF1 a thread ran what made a record and put it into the queue; a step took a batch.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.queues.records import Records, Source
from migrate.normalise.queues.view import GET_NEXT, Note, State, Unread, View
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.tables import queues as table
from migrate.tables.queues import Batcher

_RECIPE = "Read the data with tf.data."


def rewrite_batch(view: View, state: State) -> Text | None:
    """The text with one batch as a dataset's; None if there is none."""
    for call, symbol in view.list_calls():
        if symbol in table.BATCHERS:
            return _Batch(view, state, call, symbol).rewrite_text()
    return None


class _Batch:
    def __init__(self, view: View, state: State, call: ast.Call, symbol: str) -> None:
        self._view, self._state, self._call, self._symbol = view, state, call, symbol
        self._batcher: Batcher = table.BATCHERS[symbol]
        bound = names.bind_arguments(call, self._batcher.parameters)
        given = bound.get(self._batcher.parameters[0]) if bound is not None else None
        if bound is None or given is None or "batch_size" not in bound:
            raise self._make_unread("the tool cannot tell its arguments apart")
        self._bound, self._given = bound, given
        self._records = Records(view, call, given)
        self._statement = view.find_statement(call)

    def rewrite_text(self) -> Text:
        branch = self._rewrite_branch()
        if branch is not None:
            return branch
        self._check()
        sources, moved = self._records.find_part(self._statement)
        lines, dataset, parts = self._write_dataset(sources, moved)
        name = self._view.choose_free_name("batches")
        lines.append(f"{name} = {dataset}{self._write_batch_call()}")
        if parts is not None:
            self._state.parts[name] = parts
        self._note_batch()
        whole = getattr(self._statement, "value", None) is self._call
        edits = [Edit(self._call, f"{name}{GET_NEXT}")]
        if not whole:
            element = self._view.choose_free_name("batch")
            lines.append(f"{element} = {name}{GET_NEXT}")
            edits = [Edit(self._call, element)]
        text = self._view.insert_before(self._statement, lines, edits)
        return self._drop_statements(text, [*(s.statement for s in sources), *moved])

    def _note_batch(self) -> None:
        line = self._view.find_line(self._call)
        threads = self._bound.get("num_threads")
        if threads is not None and names.read_literal(threads) != 1:
            if not self._batcher.shuffles:
                why = (
                    "several threads had no fixed order. The migrated program reads the "
                    "records in the order of the files"
                )
                self._state.notes.append(Note(line, "I112", self._symbol, why))
        self._state.notes.append(
            Note(line, "I131", self._symbol, "batched by tf.data: the same records")
        )
        if self._batcher.shuffles:
            self._state.notes.append(
                Note(
                    line,
                    "I112",
                    self._symbol,
                    "TensorFlow 1's random order also depended on how fast the "
                    "queue was filled, even with a seed. The migrated program "
                    "shuffles in a buffer of the queue's capacity",
                )
            )

    # -- branches ------------------------------------------------------------------------

    def _rewrite_branch(self) -> Text | None:
        """`if shuffle: xs = shuffle_batch(...) else: xs = batch(...)`: after the `if`.

        The batches are one of two datasets, of records that are made in one way.
        """
        branch = self._view.scopes.parents[self._statement]
        if not isinstance(branch, ast.If):
            return None
        if isinstance(branch.test, ast.Constant):
            kept = branch.body if branch.test.value else branch.orelse
            return self._unwrap_branch(branch, kept)
        pairs = [
            self._find_batch_of_suite(branch.body),
            self._find_batch_of_suite(branch.orelse),
        ]
        first, second = pairs
        if (
            first is None
            or second is None
            or first._records.find_sources(first._statement)
        ):
            return None  # The records are made in the branch, too.
        given = [b._given for b in (first, second)]
        targets = [self._find_target(b._statement) for b in (first, second)]
        if ast.dump(given[0]) != ast.dump(given[1]) or targets[0] != targets[1]:
            raise self._make_unread("two branches make batches of different records")
        sources, moved = first._records.find_part(branch)
        for one in (first, second):
            one._check()
            one._note_batch()
        lines, dataset, parts = first._write_dataset(sources, moved)
        name = self._view.choose_free_name("batches")
        records = self._view.choose_free_name("made")
        lines.append(f"{records} = {dataset}")
        if parts is not None:
            self._state.parts[name] = parts
        edits = [
            Edit(one._statement, f"{name} = {records}{one._write_batch_call()}")
            for one in (first, second)
        ]
        text = self._view.text.apply_edits(edits)
        last = branch.end_lineno or branch.lineno
        indent = self._view.indent(branch)
        text = text.splice(
            last + 1,
            last,
            [f"{indent}{targets[0]} = {name}{GET_NEXT}"],
            [self._view.text.origins[self._statement.lineno - 1]],
        )
        origin = self._view.text.origins[branch.lineno - 1]
        text = text.splice(
            branch.lineno,
            branch.lineno - 1,
            [indent + line for line in lines],
            [origin] * len(lines),
        )
        return self._drop_statements(text, [*(s.statement for s in sources), *moved])

    def _find_batch_of_suite(self, suite: list[ast.stmt]) -> _Batch | None:
        """The one batch that a suite makes."""
        found = [
            (node, symbol)
            for node, symbol in self._view.list_calls()
            if symbol in table.BATCHERS and self._view.find_statement(node) in suite
        ]
        if len(found) != 1:
            return None
        return _Batch(self._view, self._state, *found[0])

    def _find_target(self, statement: ast.stmt) -> str:
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.value, ast.Call)
            and self._view.text.is_alone(statement)
        ):
            return self._view.flatten_expression(statement.targets[0])
        raise self._make_unread("what a branch makes of its batch")

    def _unwrap_branch(self, branch: ast.If, kept: list[ast.stmt]) -> Text:
        """`if True:` without the `if`."""
        if not kept:
            return self._view.drop_statement(branch)
        first, last = kept[0], kept[-1]
        if not self._view.text.is_alone(branch) or any(
            find_lines_inside_strings(s) for s in kept
        ):
            raise self._make_unread("it stands in a branch")
        inner, outer = self._view.indent(first), self._view.indent(branch)
        rows = range(first.lineno - 1, last.end_lineno or last.lineno)
        lines = [
            outer + self._view.text.lines[n].removeprefix(inner)
            if self._view.text.lines[n].strip()
            else ""
            for n in rows
        ]
        return self._view.text.splice(
            branch.lineno,
            branch.end_lineno or branch.lineno,
            lines,
            [self._view.text.origins[n] for n in rows],
        )

    # -- records -------------------------------------------------------------------------

    def _check(self) -> None:
        if not isinstance(
            self._statement, (ast.Assign, ast.Expr, ast.Return)
        ) or not self._view.text.is_alone(self._statement):
            raise self._make_unread("it is part of a larger statement")
        if self._view.may_repeat(self._call):
            raise self._make_unread(
                "the program makes it in a loop, or only under a condition"
            )
        for name in ("enqueue_many", "dynamic_pad"):
            value = self._bound.get(name)
            if value is not None and not isinstance(value, ast.Constant):
                raise self._make_unread(f"{name} is not a constant")
        for name in ("shapes", "shared_name"):
            value = self._bound.get(name)
            if not (
                value is None
                or names.read_literal(value) is None
                and names.is_none_constant(value)
            ):
                raise Unread(
                    self._view,
                    self._call,
                    "I120",
                    f"the argument {name} has no counterpart",
                    "Give the tensors their shapes with set_shape."
                    if name == "shapes"
                    else "Give each worker a part of the files.",
                )

    # -- the dataset ---------------------------------------------------------------------

    def _write_dataset(
        self, sources: list[Source], moved: list[ast.stmt]
    ) -> tuple[list[str], str, int | None]:
        """Lines of a function, the dataset of records, and how many parts these have."""
        view, tf = self._view, self._view.tensorflow
        if not sources:
            # A thread put the same tensors, computed anew, into the queue again and again.
            dataset = f"{tf}.data.Dataset.range(1).repeat()"
        elif len(sources) == 1:
            dataset = sources[0].dataset
        else:
            dataset = (
                f"{tf}.data.Dataset.zip(({', '.join(s.dataset for s in sources)}))"
            )
        if not moved and self._is_element(sources):
            return [], dataset, self._state.parts.get(sources[0].dataset)
        returned, parts = self._write_return(sources, moved)
        parameters, unpacked = self._write_parameters(sources)
        name = view.choose_free_name("make_record")
        lines = [f"def {name}({', '.join(parameters)}):"]
        unit = view.unit
        lines += [unit + line for line in unpacked]
        for statement in moved:
            lines += self._indent_lines(statement)
        lines.append(f"{unit}return {returned}")
        return lines, f"{dataset}.map({name})", parts

    def _is_element(self, sources: list[Source]) -> bool:
        """Whether the batch is of the elements as they are."""
        if len(sources) != 1:
            return False
        target = sources[0].target
        several = sources[0].dataset in self._state.parts
        if isinstance(target, ast.Name) and isinstance(self._given, ast.Name):
            return several and self._given.id == target.id
        given = self._given
        if not isinstance(given, (ast.List, ast.Tuple)):
            return False
        shown = [names.find_key(e) for e in given.elts]
        if isinstance(target, (ast.Tuple, ast.List)):
            return len(shown) > 1 and shown == [names.find_key(e) for e in target.elts]
        return not several and shown == [names.find_key(target)]

    def _write_parameters(self, sources: list[Source]) -> tuple[list[str], list[str]]:
        """The function's parameters, and the statements that take them apart."""
        if len(sources) == 1:
            source = sources[0]
            several = source.dataset in self._state.parts
            if several and isinstance(source.target, (ast.Tuple, ast.List)):
                if all(isinstance(e, ast.Name) for e in source.target.elts):
                    shown = [
                        self._view.flatten_expression(e) for e in source.target.elts
                    ]
                    if len(set(shown)) == len(shown):
                        return shown, []
            if several and isinstance(source.target, ast.Name):
                return [f"*{source.target.id}"], []
        parameters: list[str] = [] if sources else [self._view.choose_free_name("_")]
        unpacked: list[str] = []
        for source in sources:
            if isinstance(source.target, ast.Name):
                parameters.append(source.target.id)
            else:
                parameters.append(self._view.choose_free_name("record"))
                unpacked.append(
                    f"{self._view.flatten_expression(source.target)} = {parameters[-1]}"
                )
        return parameters, unpacked

    def _write_return(
        self, sources: list[Source], moved: list[ast.stmt]
    ) -> tuple[str, int | None]:
        """Writes what the function returns, and the count of tensors in the tuple."""
        given, view = self._given, self._view
        if isinstance(given, (ast.List, ast.Tuple)):
            if any(isinstance(e, ast.Starred) for e in given.elts):
                raise self._make_unread("the tensors are not written out")
            shown = [view.flatten_expression(e) for e in given.elts]
            return ", ".join(shown), len(shown) if len(shown) > 1 else None
        if isinstance(given, ast.Dict):
            return view.flatten_expression(given), None
        if not isinstance(given, ast.Name):
            raise self._make_unread("the tensors are not written out")
        for source in sources:
            if names.find_key(source.target) == given.id:
                if source.dataset in self._state.parts:
                    return f"tuple({given.id})", 0
                raise self._make_unread("the tensors are not written out")
        values = [v for s in moved for v in _find_bound_values(s, given.id)]
        changed = any(given.id in names.find_mutations(s) for s in moved)
        value = values[0] if len(values) == 1 else None
        if isinstance(value, (ast.List, ast.Tuple)):
            count = len(value.elts)
            if changed or any(isinstance(e, ast.Starred) for e in value.elts):
                return f"tuple({given.id})", 0
            if count > 1:
                return f"tuple({given.id})", count
            return f"{given.id}[0]", None
        if value is not None and self._is_dict(value):
            return given.id, None
        raise self._make_unread(
            "the tool cannot tell whether it is a list or a dict of tensors"
        )

    def _is_dict(self, value: ast.expr) -> bool:
        return isinstance(value, (ast.Dict, ast.DictComp)) or (
            isinstance(value, ast.Call)
            and (
                (isinstance(value.func, ast.Name) and value.func.id == "dict")
                or (self._view.scopes.resolve(value.func) or "").endswith(
                    (".parse_single_example", ".parse_example")
                )
            )
        )

    def _write_batch_call(self) -> str:
        """Writes the method calls that make batches of a dataset of records."""
        bound, view = self._bound, self._view
        parts = ""
        if self._is_true("enqueue_many"):
            parts += ".unbatch()"
        if self._batcher.shuffles:
            capacity = bound.get("capacity")
            if capacity is None:
                raise self._make_unread("it has no capacity")
            seed = bound.get("seed")
            seeded = (
                f", seed={view.flatten_expression(seed)}" if seed is not None else ""
            )
            parts += f".shuffle({view.flatten_expression(capacity)}{seeded})"
        method = "padded_batch" if self._is_true("dynamic_pad") else "batch"
        smaller = bound.get("allow_smaller_final_batch")
        drop = ", drop_remainder=True"
        if self._is_true("allow_smaller_final_batch"):
            drop = ""
        elif smaller is not None and not isinstance(smaller, ast.Constant):
            drop = f", drop_remainder=not ({view.flatten_expression(smaller)})"
        return f"{parts}.{method}({view.flatten_expression(bound['batch_size'])}{drop})"

    def _is_true(self, name: str) -> bool:
        value = self._bound.get(name)
        return isinstance(value, ast.Constant) and bool(value.value)

    # -- lines ---------------------------------------------------------------------------

    def _indent_lines(self, statement: ast.stmt) -> list[str]:
        """A statement's lines as lines of the function's body."""
        text = self._view.text
        first = self._find_first_line(statement)
        rows = text.lines[first - 1 : statement.end_lineno or statement.lineno]
        indent, unit = self._view.indent(statement), self._view.unit
        return [unit + r.removeprefix(indent) if r.strip() else "" for r in rows]

    def _find_first_line(self, statement: ast.stmt) -> int:
        """Returns the first line of a statement with the comments above it."""
        first = statement.lineno
        indent = self._view.indent(statement)
        while first > 1 and self._view.text.lines[first - 2].startswith(indent + "#"):
            first -= 1
        return first

    def _drop_statements(self, text: Text, gone: list[ast.stmt]) -> Text:
        """Removes statements from a text that is already changed below them."""
        for statement in sorted(gone, key=lambda s: -s.lineno):
            end = statement.end_lineno or statement.lineno
            text = text.splice(self._find_first_line(statement), end, [], [])
        return text

    def _make_unread(self, why: str) -> Unread:
        return Unread(self._view, self._call, "I120", f"{self._symbol}: {why}", _RECIPE)


def _find_bound_values(statement: ast.stmt, name: str) -> list[ast.expr | None]:
    """Lists the values that a statement binds to a name; None for a part of one."""
    if name not in names.find_binds(statement):
        return []
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name):
            return [value]
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
            and not any(isinstance(e, ast.Starred) for e in [*target.elts, *value.elts])
        ):
            pairs = zip(target.elts, value.elts, strict=True)
            return [v for t, v in pairs if names.find_key(t) == name]
    return [None]
