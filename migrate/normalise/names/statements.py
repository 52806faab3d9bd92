"""TF1 to TF1: training operations and dataset elements have statements of their own.

`train_op = tf.group(opt.minimize(loss), averages_op)` is two statements: the update,
and what is done beside it. So is `image = iterator.get_next()["image"]`: the loop draws
the element, the step takes its part. And `SyncReplicasOptimizer(inner).minimize(loss)` makes
the optimizer in a statement before, of which the inner one stays.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator

from migrate.facts import names
from migrate.facts.initial_values import find_constant_initializers
from migrate.facts.last_values import find_last_value
from migrate.facts.late_attributes import is_some_value
from migrate.facts.names import find_free_name
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.session_names import holds_session
from migrate.normalise.text import Edit, ParsedText, Text
from migrate.source.nodes import list_children, parse_source, walk_breadth_first
from migrate.tables import roles
from migrate.tables.optimizers import OPTIMIZERS

_UPDATES = ("minimize", "apply_gradients")
_ELEMENT = "get_next"
_ORDERS = "control_dependencies"
# What these give is never None.
_GIVE_SESSIONS = ("tf.Session", "tf.InteractiveSession", "tf.train.MonitoredTraining")
_GIVE_TENSORS = (
    *_GIVE_SESSIONS,
    "tf.placeholder",
    "tf.reduce_",
    "tf.group",
    "tf.no_op",
    "tf.nn.",
    "tf.layers.",
)
_CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.comprehension, ast.ListComp)


def assign_initial_values(text: Text) -> Text:
    """`total.initializer` of a variable of zeros: `total.assign(tf.zeros_like(total))`.

    A call of get_variable that reuses a variable does not say what its initial value is.
    """
    if ".initializer" not in text.source or "reuse" in text.source.lower():
        return text
    if "partitioner" in text.source:
        return text
    scopes = build_scopes(parse_source(text.source))
    tensorflow = [
        n.id
        for n in scopes.walk()
        if isinstance(n, ast.Name) and scopes.resolve(n) == "tf"
    ]
    if not tensorflow:
        return text
    edits = []
    for node, fill in find_constant_initializers(scopes):
        name = ast.unparse(node.value)
        new = f"{name}.assign({tensorflow[0]}.{fill}({name}))"
        edits.append(Edit(node, new))
    return text.apply_edits(edits)


def run_by_session(text: Text) -> Text:
    """`loss.eval(feed, session=sess)` and `op.run(session=sess)`: `sess.run(...)`."""
    if "session=" not in text.source:
        return text
    edits: list[Edit] = []
    for node in walk_breadth_first(parse_source(text.source)):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("eval", "run")
        ):
            continue
        bound = names.bind_arguments(node, ("feed_dict", "session")) or {}
        session = bound.get("session")
        if not isinstance(session, ast.Name):
            continue
        parts = [
            node.func.value,
            *([bound["feed_dict"]] if "feed_dict" in bound else []),
        ]
        shown = ", ".join(" ".join(text.find_segment(p).split("\n")) for p in parts)
        edits.append(Edit(node, f"{session.id}.run({shown})"))
    return text.apply_edits(edits)


_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def fold_conditions(text: Text) -> Text:
    """`if 1.0 is not None:`, which a call brought to where it was made, is `if True:`.

    So are `if not False:`, `if "train" == "train":`, and `if train_op is not None:` where the
    name is an operation's; `None or tf.Session()` is the session, and `sess or tf.Session()`
    is `sess` if that is a session. A constant of the module is known if it chooses between an
    update of one tower and that of several.
    """
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    edits: list[Edit] = []
    for node in walk_breadth_first(tree):
        known = _decide(node, scopes)
        if known is not None:
            edits.append(Edit(node, str(known)))
        if (
            isinstance(node, ast.BoolOp)
            and isinstance(node.op, ast.Or)
            and len(node.values) == 2
        ):
            if _is_false_constant(node.values[0], scopes):
                edits.append(Edit(node, text.flatten_segment(node.values[1])))
            elif _is_session(node.values[0], scopes):
                edits.append(Edit(node, text.flatten_segment(node.values[0])))
    return text.apply_edits(edits)


def choose_values(text: Text) -> Text:
    """`None if False else tf.Session()`, of which the test is decided, is its one value."""
    if " if False else " not in text.source and " if True else " not in text.source:
        return text
    return text.apply_edits(
        [
            Edit(
                node,
                text.flatten_segment(node.body if node.test.value else node.orelse),
            )
            for node in walk_breadth_first(parse_source(text.source))
            if isinstance(node, ast.IfExp)
            and isinstance(node.test, ast.Constant)
            and isinstance(node.test.value, bool)
        ]
    )


def _is_session(value: ast.expr, scopes: Scopes) -> bool:
    """Whether a name certainly holds a session, which always counts as true."""
    if isinstance(value, ast.Name):
        last = find_last_value(scopes, value)
        held = holds_session(scopes, value)
        return held or (last is not None and _is_session(last, scopes))
    if not isinstance(value, ast.Call):
        return False
    return (scopes.resolve(value.func) or "").startswith(_GIVE_SESSIONS)


def _decide(node: ast.AST, scopes: Scopes) -> bool | None:
    """The value of a condition that is known before the graph is built."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=bool(value))):
            return not value
        case ast.Compare(
            left=left,
            ops=[ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(None)],
        ):
            same = _is_none(left, scopes)
            return None if same is None else same == isinstance(op, ast.Is)
        case ast.Compare(
            left=ast.Constant(value=one),
            ops=[ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Constant(value=other)],
        ):
            return (one == other) == isinstance(op, ast.Eq)
        case ast.Compare(
            left=ast.Name() as name,
            ops=[op],
            comparators=[ast.Constant(value=int(other))],
        ) if _chooses_update(scopes, node):
            number = _find_constant(scopes, name)
            compare = _COMPARISONS.get(type(op))
            if number is not None and compare is not None:
                return compare(number, other)
    return None


def _chooses_update(scopes: Scopes, test: ast.AST) -> bool:
    """Whether a condition chooses between graphs, of which one takes gradients."""
    branch = scopes.parents.get(test)
    return isinstance(branch, ast.If) and any(
        isinstance(node, ast.Attribute) and node.attr == "compute_gradients"
        for node in walk_breadth_first(branch)
    )


def _find_constant(scopes: Scopes, name: ast.Name) -> int | None:
    """The number that a name of the module always stands for."""
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is not scopes.module:
        return None
    match owner.bindings[name.id]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int(number)))]:
            return number
    return None


def _is_false_constant(value: ast.expr, scopes: Scopes) -> bool:
    """Whether a value is certainly a constant that counts as false, as None is."""
    last = find_last_value(scopes, value) if isinstance(value, ast.Name) else value
    return isinstance(last, ast.Constant) and not last.value


def _is_none(value: ast.expr, scopes: Scopes) -> bool | None:
    """Whether a value is None, if that is known: an operation's name is not."""
    if isinstance(value, ast.Constant):
        return value.value is None
    if is_some_value(value) or _gives_tensor(value, scopes):
        return False
    if isinstance(value, ast.IfExp):
        known = {_is_none(part, scopes) for part in (value.body, value.orelse)}
        return known.pop() if len(known) == 1 else None
    if not isinstance(value, ast.Name):
        return None
    owner = scopes.find_scope(value).find_owner(value.id)
    match owner.bindings.get(value.id, []) if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=made)] if _gives_tensor(
            made, scopes
        ):
            return False
    if holds_session(scopes, value):
        return False
    last = find_last_value(scopes, value)
    return None if last is None else _is_none(last, scopes)


def _gives_tensor(value: ast.expr, scopes: Scopes) -> bool:
    """Whether it is a call that gives a tensor or an operation."""
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute) and value.func.attr in _UPDATES:
        return not any(  # A method of the program may return None.
            isinstance(node, ast.FunctionDef) and node.name in _UPDATES
            for node in scopes.walk()
        )
    return (scopes.resolve(value.func) or "").startswith(_GIVE_TENSORS)


def name_updates(text: Text) -> Text:
    """The text with updates and elements that are part of an expression named."""
    while any(
        f".{method}(" in text.source for method in (*_UPDATES, _ELEMENT, _ORDERS)
    ):
        new = _Statements(text).bring_out_call()
        if new is None:
            break
        text = new
    return text


class _Statements(ParsedText):
    def bring_out_call(self) -> Text | None:
        for statement in walk_breadth_first(self._tree):
            if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return, ast.With)):
                continue
            if not self._starts_line(statement):
                continue
            for call in self._find_inner_calls(statement):
                line = self._text.lines[statement.lineno - 1]
                indent = line[: len(line) - len(line.lstrip())]
                source = self._text.find_segment(call)
                if "\n" in source:
                    source = ast.unparse(call)
                name = find_free_name(self._tree, self._find_title(call))
                origin = self._text.origins[call.lineno - 1]
                text = self._text.apply_edits([Edit(call, name)])
                return text.splice(
                    statement.lineno,
                    statement.lineno - 1,
                    [f"{indent}{name} = {source}"],
                    [origin],
                )
        return None

    def _find_title(self, call: ast.Call) -> str:
        if self._is_synchronous(call):
            return "optimizer"
        if self._is_update(call):
            return "update_op"
        return "element" if self._is_element(call) else "control_input"

    def _starts_line(self, statement: ast.stmt) -> bool:
        line = self._text.lines[statement.lineno - 1]
        column = self._text.find_column(statement.lineno, statement.col_offset)
        return not line[:column].strip()

    def _find_inner_calls(self, statement: ast.stmt) -> Iterator[ast.Call]:
        """Updates and elements that are not all that a statement computes."""
        if isinstance(statement, ast.With):
            roots: list[ast.AST] = [i.context_expr for i in statement.items]
            yield from self._find_control_inputs(statement.items[0].context_expr)
        else:
            value = statement.value  # type: ignore[attr-defined]
            whole = isinstance(statement, ast.Expr) or (
                isinstance(statement, ast.Assign) and len(statement.targets) == 1
            )
            if value is None:
                return
            if whole and self._is_update(value):
                maker = value.func.value
                if self._is_synchronous(maker):
                    yield maker  # The strategy does what it did: its name stays.
                return
            roots = [value]
            if self._is_element(value):  # Also returned as it is.
                roots = list_children(value)
        work = list(roots)
        while work:
            node = work.pop(0)
            if isinstance(node, _CONDITIONAL):
                continue  # Not always made: what then is said is said elsewhere.
            if isinstance(node, ast.Call) and (
                self._is_update(node) or self._is_element(node)
            ):
                yield node
            work.extend(list_children(node))

    def _find_control_inputs(self, header: ast.expr) -> Iterator[ast.Call]:
        """Operations that are made in the header which orders them: `[n.assign_add(1)]`."""
        if not (
            isinstance(header, ast.Call)
            and self._scopes.resolve(header.func) == f"tf.{_ORDERS}"
        ):
            return
        work = [*header.args, *[k.value for k in header.keywords]]
        while work:
            node = work.pop(0)
            if isinstance(node, (ast.List, ast.Tuple)):
                work.extend(node.elts)
            elif isinstance(node, ast.BinOp):
                work += [node.left, node.right]
            elif isinstance(node, ast.Call):
                if self._scopes.resolve(node.func) != "tf.get_collection":
                    yield node

    def _is_update(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _UPDATES
            and self._is_optimizer(node.func.value)
        )

    def _is_synchronous(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in roles.SYNC_OPTIMIZERS
        )

    def _is_optimizer(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            symbol = self._scopes.resolve(node.func)
            return symbol in OPTIMIZERS or symbol in roles.SYNC_OPTIMIZERS
        key = names.find_key(node)
        return key is not None and any(
            isinstance(made, ast.Assign)
            and any(names.find_key(target) == key for target in made.targets)
            and isinstance(made.value, ast.Call)
            and self._is_optimizer(made.value)
            for made in walk_breadth_first(self._tree)
        )

    def _is_element(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == _ELEMENT
            and self._scopes.resolve(node.func) is None
        )
