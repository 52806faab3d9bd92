"""Producers and readers as datasets whose elements are taken one by one.

filename_queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
_, line = tf.TextLineReader().read(filename_queue)

filename_queue = tf.data.Dataset.from_tensor_slices(files).repeat(2)
records = filename_queue.flat_map(tf.data.TextLineDataset)
line = records.make_one_shot_iterator().get_next()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.normalise.queues.view import GET_NEXT, Note, State, Unread, View
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import queues as table
from migrate.tables import roles
from migrate.tables.queues import Gives, Producer, Reader

_NOW = "read by tf.data: the same records"
_RECIPE = "Read the data with tf.data."


def rewrite_producer(view: View, state: State) -> Text | None:
    """The text with one producer as a dataset; None if there is none."""
    tf = view.tensorflow
    for call, symbol in view.list_calls():
        if symbol == table.MATCH_ONCE and tf is not None:
            pattern = names.find_argument(call, "pattern", 0)
            if pattern is None:
                raise _refuse_unclear_source(view, call)
            new = f"{tf}.matching_files({view.flatten_expression(pattern)})"
            return view.text.apply_edits([Edit(call, new)])
        if symbol not in table.PRODUCERS:
            continue
        if tf is None:
            raise Unread(
                view,
                call,
                "I120",
                "this file has no name for TensorFlow itself",
                "Import TensorFlow: import tensorflow as tf.",
            )
        return _write_produced_source(view, state, call, symbol, tf)
    return None


def _write_produced_source(
    view: View, state: State, call: ast.Call, symbol: str, tf: str
) -> Text:
    producer = table.PRODUCERS[symbol]
    bound = names.bind_arguments(call, producer.parameters)
    if bound is None or producer.parameters[0] not in bound:
        raise _refuse_unclear_source(view, call)
    _check_arguments(
        view,
        call,
        bound,
        {producer.parameters[0], "num_epochs", "shuffle", "seed"},
    )
    made = _Produced(view, producer, bound, tf)
    steps, ordered = made.write_dataset()
    state.notes.append(Note(view.find_line(call), "I131", symbol, _NOW))
    state.notes.extend(_note_epochs(view, call, symbol, bound.get("num_epochs")))
    if not ordered:
        state.notes.append(
            Note(
                view.find_line(call),
                "I112",
                symbol,
                "there is no seed, so every run has another order, as in TensorFlow 1",
            )
        )
    statement = view.find_statement(call)
    whole = (
        isinstance(statement, ast.Assign)
        and statement.value is call
        and len(statement.targets) == 1
        and names.find_key(statement.targets[0]) is not None
    )
    if producer.gives is not Gives.TENSORS and whole:
        assert isinstance(statement, ast.Assign)
        state.queues.add(names.find_key(statement.targets[0]) or "")
        if not view.text.is_alone(statement):
            return view.text.apply_edits([Edit(call, "".join(steps))])
        lines, dataset = _name_steps(view, steps)
        return view.insert_before(statement, lines, [Edit(call, dataset)])
    _check_simple(view, statement, call)
    lines, dataset = _name_steps(view, steps)
    if producer.gives is not Gives.TENSORS:
        queue = view.choose_free_name("queue")
        state.queues.add(queue)
        lines.append(f"{queue} = {dataset}")
        return view.insert_before(statement, lines, [Edit(call, queue)])
    name = view.choose_free_name("slices")
    given = bound[producer.parameters[0]]
    display = isinstance(given, (ast.List, ast.Tuple))
    state.parts[name] = len(given.elts) if display else 0  # type: ignore[attr-defined]
    lines = [*made.computed, *lines, f"{name} = {dataset}"]
    return view.insert_before(statement, lines, [Edit(call, f"{name}{GET_NEXT}")])


def _name_steps(view: View, steps: tuple[str, ...]) -> tuple[list[str], str]:
    """Statements for all steps but the last, and the last: no line is a long chain."""
    lines: list[str] = []
    before = ""
    for wish, step in zip(("epochs", "rows"), steps[:-1], strict=False):
        name = view.choose_free_name(wish)
        lines.append(f"{name} = {before}{step}")
        before = name
    return lines, before + steps[-1]


def _note_epochs(
    view: View, call: ast.Call, symbol: str, epochs: ast.expr | None
) -> Iterator[Note]:
    """Yields the notes on the local variable in which TF1 counted epochs."""
    if epochs is None or isinstance(epochs, ast.Constant) and epochs.value is None:
        return
    called = {s for _, s in view.list_calls()}
    initialised = called & roles.INITIALIZES_OTHERS or any(
        "Monitored" in s or "Supervisor" in s or "stimator" in s for s in called
    )
    if called & {"tf.Session", "tf.InteractiveSession"} and not initialised:
        why = (
            "TensorFlow 1 counted epochs in a local variable. Nothing in this "
            "program initialises it, so the input ended at the first step. The "
            "migrated program reads the epochs"
        )
        yield Note(view.find_line(call), "I131", symbol, why)
    if "tf.train.replica_device_setter" in called:
        why = (
            "each worker reads all epochs. In TensorFlow 1 the device setter "
            "placed the variable that counts epochs on a parameter server, and all "
            "workers counted in it"
        )
        yield Note(view.find_line(call), "I131", symbol, why)


class _Produced:
    """The dataset of one producer's rows.

    Attributes:
      computed: statements before it, for arrays that are computed in the call.
    """

    def __init__(
        self, view: View, producer: Producer, bound: dict[str, ast.expr], tf: str
    ) -> None:
        self._view, self._producer, self._bound, self._tf = view, producer, bound, tf
        self._given = bound[producer.parameters[0]]
        self.computed: list[str] = []
        self._names: dict[ast.expr, str] = {}

    def write_dataset(self) -> tuple[tuple[str, ...], bool]:
        """Writes the dataset in steps; also whether all runs have one order."""
        shuffle, seed = self._bound.get("shuffle"), self._bound.get("seed")
        one = (
            isinstance(self._given, (ast.List, ast.Tuple))
            and len(self._given.elts) == 1
            and not isinstance(self._given.elts[0], ast.Starred)
            and self._producer.gives is Gives.QUEUE
        )
        if one or (isinstance(shuffle, ast.Constant) and not shuffle.value):
            return (self._write_in_order(),), True
        seeded = seed is not None and not (
            isinstance(seed, ast.Constant) and seed.value is None
        )
        if shuffle is None or (isinstance(shuffle, ast.Constant) and shuffle.value):
            return self._write_shuffled(), seeded
        test = self._view.flatten_expression(shuffle)
        shuffled = "".join(self._write_shuffled())
        return (f"({shuffled} if {test} else {self._write_in_order()})",), seeded

    def _write_in_order(self) -> str:
        return f"{self._data}.from_tensor_slices({self._write_rows()}){self._write_repeat()}"

    def _write_shuffled(self) -> tuple[str, ...]:
        """Writes a shuffle like TF1's: an operation shuffles all rows in each epoch.

        A seed gives the same bits in TensorFlow 1.15.5 and 2.21: the same order.
        """
        tf, seed = self._tf, self._bound.get("seed")
        given = (
            f", seed={self._view.flatten_expression(seed)}" if seed is not None else ""
        )
        rows = self._write_rows()
        several = self._producer.gives is Gives.TENSORS
        if several:
            rows = f"{tf}.range({tf}.shape({self._write_first()})[0])"
        steps = (
            f"{self._data}.from_tensors({rows}){self._write_repeat()}",
            f".map(lambda rows: {tf}.random_shuffle(rows{given}))"
            f".flat_map({self._data}.from_tensor_slices)",
        )
        return (*steps, f".map(lambda row: {self._gather_row()})") if several else steps

    @property
    def _data(self) -> str:
        return f"{self._tf}.data.Dataset"

    def _write_repeat(self) -> str:
        epochs = self._bound.get("num_epochs")
        if epochs is None or (
            isinstance(epochs, ast.Constant) and epochs.value is None
        ):
            return ".repeat()"
        if isinstance(epochs, ast.Constant) and epochs.value == 1:
            return ""
        return f".repeat({self._view.flatten_expression(epochs)})"

    def _list_tensors(self) -> list[str] | None:
        """Lists the tensors of which slices are taken, if they are written out."""
        if isinstance(self._given, (ast.List, ast.Tuple)) and not any(
            isinstance(e, ast.Starred) for e in self._given.elts
        ):
            return [self._name_tensor(e) for e in self._given.elts]
        return None

    def _name_tensor(self, tensor: ast.expr) -> str:
        """Returns a tensor's text to write twice: a new name, if it is computed."""
        if names.find_key(tensor) is not None or isinstance(tensor, ast.Constant):
            return self._view.flatten_expression(tensor)
        if tensor not in self._names:
            self._names[tensor] = self._view.choose_free_name("tensor")
            self.computed.append(
                f"{self._names[tensor]} = {self._view.flatten_expression(tensor)}"
            )
        return self._names[tensor]

    def _write_rows(self) -> str:
        if self._producer.gives is Gives.NUMBERS:
            return f"{self._tf}.range({self._view.flatten_expression(self._given)})"
        if self._producer.gives is Gives.QUEUE:
            return self._view.flatten_expression(self._given)
        tensors = self._list_tensors()
        if tensors is None:
            return f"tuple({self._name_tensor(self._given)})"
        return f"({', '.join(tensors)}{',' if len(tensors) == 1 else ''})"

    def _write_first(self) -> str:
        tensors = self._list_tensors()
        return tensors[0] if tensors else f"{self._name_tensor(self._given)}[0]"

    def _gather_row(self) -> str:
        tf, tensors = self._tf, self._list_tensors()
        if tensors is None:
            each = f"{tf}.gather(tensor, row) for tensor in "
            return f"tuple({each}{self._name_tensor(self._given)})"
        parts = [f"{tf}.gather({tensor}, row)" for tensor in tensors]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def rewrite_read(view: View, state: State) -> Text | None:
    """The text with one read, or one element of a queue, as a dataset's element."""
    for node in walk_breadth_first(view.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in ("dequeue", "dequeue_many"):
            queue = names.find_key(node.func.value)
            if queue in state.queues:
                return _write_dequeued_source(view, node, node.func)
        if node.func.attr in ("read", "read_up_to"):
            made = _find_reader(view, node.func.value)
            if made is not None:
                return _read(view, state, node, node.func, made)
    return None


def _write_dequeued_source(view: View, call: ast.Call, func: ast.Attribute) -> Text:
    statement = view.find_statement(call)
    _check_simple(view, statement, call)
    _check_once(view, func.value)
    name, dataset = (
        view.choose_free_name("elements"),
        view.flatten_expression(func.value),
    )
    if func.attr == "dequeue_many":
        count = names.find_argument(call, "n", 0)
        if count is None:
            raise _refuse_unclear_source(view, call)
        dataset += f".batch({view.flatten_expression(count)}, drop_remainder=True)"
    return view.insert_before(
        statement, [f"{name} = {dataset}"], [Edit(call, f"{name}{GET_NEXT}")]
    )


def _find_reader(view: View, node: ast.expr) -> ast.Call | None:
    """The call that made a reader: `node` itself, or what its name is bound to."""
    made: ast.AST = node
    if isinstance(node, ast.Name):
        bindings = view.list_bindings(node)
        if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
            return None
        made = bindings[0].value
    if isinstance(made, ast.Call) and view.scopes.resolve(made.func) in table.READERS:
        return made
    return None


def _read(
    view: View, state: State, call: ast.Call, func: ast.Attribute, made: ast.Call
) -> Text:
    symbol = view.scopes.resolve(made.func) or ""
    reader = table.READERS[symbol]
    queue = names.find_argument(call, "queue", 0)
    bound = names.bind_arguments(made, reader.parameters)
    if queue is None or bound is None:
        raise _refuse_unclear_source(view, call)
    _check_arguments(view, made, bound, {*reader.arguments, reader.skip or ""})
    _check_once(view, queue)
    if isinstance(func.value, ast.Name):
        _check_once(view, func.value)
    count: ast.expr | None = None
    if func.attr == "read_up_to":
        count = names.find_argument(call, "num_records", 1)
        if count is None:
            raise _refuse_unclear_source(view, call)
    statement = view.find_statement(call)
    _check_simple(view, statement, call)
    taken = _find_taken_value(view, call)
    if taken is not None:
        name, value = view.choose_free_name("records"), view.choose_free_name("record")
        dataset = view.flatten_expression(queue) + _write_records(
            view, reader, bound, count, False
        )
        state.notes.append(Note(view.find_line(made), "I131", symbol, _NOW))
        lines = [f"{name} = {dataset}"]
        if isinstance(statement, ast.Assign) and statement.value is taken:
            return view.insert_before(
                statement, lines, [Edit(taken, f"{name}{GET_NEXT}")]
            )
        lines.append(f"{value} = {name}{GET_NEXT}")
        return view.insert_before(statement, lines, [Edit(taken, value)])
    key, value = _find_targets(view, statement, call)
    if reader.dataset is not None:
        _check_key(view, statement, key)
    with_key = reader.dataset is None and _is_read(view, call, key)
    name = view.choose_free_name("records")
    dataset = view.flatten_expression(queue) + _write_records(
        view, reader, bound, count, with_key
    )
    state.notes.append(Note(view.find_line(made), "I131", symbol, _NOW))
    if with_key:
        state.parts[name] = 2
        return view.insert_before(
            statement, [f"{name} = {dataset}"], [Edit(call, f"{name}{GET_NEXT}")]
        )
    indent = view.indent(statement)
    origin = view.text.origins[statement.lineno - 1]
    lines = [f"{name} = {dataset}", f"{value} = {name}{GET_NEXT}"]
    return view.text.splice(
        statement.lineno,
        statement.end_lineno or statement.lineno,
        [indent + line for line in lines],
        [origin] * len(lines),
    )


def _write_records(
    view: View,
    reader: Reader,
    bound: dict[str, ast.expr],
    count: ast.expr | None,
    with_key: bool,
) -> str:
    """Writes the method call by which a dataset of file names gives records."""
    tf = view.tensorflow
    if reader.dataset is None:
        if count is not None:
            return f".map({tf}.read_file).batch(1)"  # A read ends with its file.
        if with_key:
            return f".map(lambda name: (name, {tf}.read_file(name)))"
        return f".map({tf}.read_file)"
    made = f"{tf}.data.{reader.dataset}"
    given = [
        f"{n}={view.flatten_expression(bound[n])}"
        for n in reader.arguments
        if n in bound
    ]
    after = ""
    if reader.skip is not None and reader.skip in bound:
        after += f".skip({view.flatten_expression(bound[reader.skip])})"
    if count is not None:
        # A read never goes beyond the end of a file.
        after += f".batch({view.flatten_expression(count)})"
    if not given and not after:
        return f".flat_map({made})"
    return f".flat_map(lambda name: {made}({', '.join(['name', *given])}){after})"


def _find_taken_value(view: View, call: ast.Call) -> ast.expr | None:
    """`reader.read(queue)[1]` and `reader.read(queue).value`: the value alone."""
    above = view.scopes.parents[call]
    if isinstance(above, ast.Subscript) and names.read_literal(above.slice) == 1:
        return above
    if isinstance(above, ast.Attribute) and above.attr == "value":
        return above
    return None


def _find_targets(
    view: View, statement: ast.stmt, call: ast.Call
) -> tuple[ast.expr, str]:
    """Returns the targets of a read's key and of its value."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if (
            statement.value is call
            and isinstance(target, (ast.Tuple, ast.List))
            and len(target.elts) == 2
        ):
            return target.elts[0], view.flatten_expression(target.elts[1])
    raise Unread(
        view,
        call,
        "I120",
        "the program does not bind the key and the value of a read to two names",
        "Write `key, value = reader.read(queue)`.",
    )


def _check_key(view: View, statement: ast.stmt, key: ast.expr) -> None:
    if _is_read(view, statement, key):
        raise Unread(
            view,
            statement,
            "I120",
            "the program uses the records' keys. The reader makes them from the "
            "file's name and a position in the file",
            "Make keys of your own in tf.data, by Dataset.enumerate.",
        )


def _is_read(view: View, node: ast.AST, key: ast.expr) -> bool:
    """Whether a target is read anywhere in the function."""
    if isinstance(key, ast.Attribute):
        return any(
            isinstance(n, ast.Attribute)
            and n.attr == key.attr
            and isinstance(n.ctx, ast.Load)
            for n in walk_breadth_first(view.tree)
        )
    name = names.find_key(key)
    return name is None or bool(view.loads(name, view.find_home(node)))


def _check_once(view: View, queue: ast.expr) -> None:
    """Refuses a queue or reader of which other code takes elements, too."""
    name = names.find_key(queue)
    if name is None:
        return
    uses = view.loads(name, view.find_home(queue))
    if len(uses) > 1 or view.may_repeat(queue):
        raise Unread(
            view,
            uses[-1] if len(uses) > 1 else queue,
            "I120",
            f"the program uses `{name}` more than once, and these uses share its "
            "elements as they come",
            "Make one dataset for each use.",
        )


def _check_simple(view: View, statement: ast.stmt, call: ast.Call) -> None:
    simple = isinstance(statement, (ast.Assign, ast.Expr, ast.Return))
    if not simple or not view.text.is_alone(statement) or view.may_repeat(call):
        raise _refuse_unclear_source(view, call)


def _check_arguments(
    view: View, call: ast.Call, bound: dict[str, ast.expr], known: set[str]
) -> None:
    """Refuses an argument that a dataset does not have, unless it has no effect."""
    for name, value in bound.items():
        if name in known or name in table.WITHOUT_EFFECT:
            continue
        if isinstance(value, ast.Constant) and value.value in (None, False, 0):
            continue
        raise Unread(
            view,
            call,
            "I120",
            f"the argument {name} has no counterpart",
            _RECIPE,
        )


def _refuse_unclear_source(view: View, call: ast.Call) -> Unread:
    return Unread(
        view,
        call,
        "I120",
        "the tool does not read this form of queue input",
        _RECIPE,
    )
