"""TF1 to TF1: the graph's collection of losses, written out where it is asked for.

`tf.losses` functions put what they return into a collection, whose sum
`tf.losses.get_total_loss` is. TF2 keeps no collections; the sum of the names is the
same, in the same order.
"""

from __future__ import annotations

import ast
import re
import sys

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

# Functions that collect what they return, but see `loss_collection`.
_COLLECTING = frozenset(
    f"tf.losses.{name}"
    for name in (
        *("absolute_difference", "compute_weighted_loss", "cosine_distance"),
        *("hinge_loss", "huber_loss", "log_loss", "mean_pairwise_squared_error"),
        *("mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy"),
        "sparse_softmax_cross_entropy",
    )
)
_ADD = "tf.losses.add_loss"
_TOTAL = "tf.losses.get_total_loss"
_ALL = "tf.losses.get_losses"
_PENALTIES = frozenset(
    {"regularizer", "kernel_regularizer", "bias_regularizer"}
    | {"beta_regularizer", "gamma_regularizer"}
)
_REGULARISED = (
    {"tf.get_variable", "tf.variable_scope"} | set(LAYER_FUNCTIONS) | set(LAYER_CLASSES)
)
_READS_PENALTIES = re.compile(
    "regularization_loss|REGULARIZATION|get_total_loss|get_all_collection|"
    "apply_regularization|export_meta_graph|import_meta_graph"
)
# Modules that ask for no collection of a graph.
_QUIET_MODULES = frozenset(
    {*sys.stdlib_module_names, "absl", "cv2", "gym", "h5py", "imageio", "matplotlib"}
    | {"numpy", "pandas", "PIL", "scipy", "six", "skimage", "sklearn", "tensorflow"}
    | {"tqdm"}
)
_PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.expr_context, ast.operator) + (
    ast.BinOp,
    ast.UnaryOp,
    ast.unaryop,
)
_UNREAD = (
    "the regulariser is dropped. Nothing adds its penalty to the loss "
    "(tf.losses.get_regularization_loss), so TensorFlow 1 also trained without it"
)


def add_up_losses(text: Text) -> Text:
    """The text with its losses added up by name, if it is clear which there are."""
    if "get_total_loss" not in text.source and "get_losses" not in text.source:
        return text
    return _Losses(text).rewrite() or text


def drop_unread_penalties(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text without regularisers whose penalties nothing reads, and where they were.

    Measured with TF 1.15.5: the collection has the penalties, and training goes on as
    without them, where no `get_regularization_loss` or its like adds them to the loss.
    """
    if "regularizer" not in text.source:
        return text, ()
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    if _may_read_penalties(tree, scopes):
        return text, ()
    edits: list[Edit] = []
    told: list[Finding] = []
    for call in walk_breadth_first(tree):
        if not isinstance(call, ast.Call):
            continue
        symbol = scopes.resolve(call.func) or ""
        if symbol not in _REGULARISED:
            continue
        for keyword in call.keywords:
            gone = keyword.arg in _PENALTIES and keyword.value
            if not gone or not _is_penalty(gone, scopes):
                continue
            before = [
                other
                for other in (*call.args, *[k.value for k in call.keywords])
                if (other.lineno, other.col_offset) < (gone.lineno, gone.col_offset)
            ]
            if not before or find_lines_inside_strings(call):
                continue
            last = max(before, key=lambda n: (n.lineno, n.col_offset))
            edits.append(_leave_out(text, gone, last))
            line = text.origins[gone.lineno - 1]
            told.append(Finding(line, 1, "V103", Outcome.REWRITTEN, symbol, _UNREAD))
    return text.apply_edits(edits), tuple(told)


def _leave_out(text: Text, value: ast.expr, before: ast.expr) -> Edit:
    """Removes a keyword argument, or makes it None if it is on several lines."""
    if before.end_lineno == value.lineno == value.end_lineno:
        line = text.lines[value.lineno - 1].encode()
        between = line[before.end_col_offset : value.col_offset].decode()
        after = line[value.end_col_offset :].decode().lstrip()
        if re.fullmatch(r"\s*,\s*\w+\s*=\s*", between) and after[:1] in (",", ")"):
            span = ast.Constant(None)
            span.lineno = span.end_lineno = value.lineno
            span.col_offset = before.end_col_offset or 0
            span.end_col_offset = value.end_col_offset
            return Edit(span, "")
    return Edit(value, "None")


def _is_penalty(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it makes a regulariser of TensorFlow's own, which does nothing else."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Name) and scopes.resolve(node) is None:
        owner = scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        return bool(bound) and all(
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Call)
            and _is_penalty(b.value, scopes)
            for b in bound
        )
    made = node.func if isinstance(node, ast.Call) else node
    symbol = scopes.resolve(made) or ""
    return symbol == "tf.nn.l2_loss" or (
        isinstance(node, ast.Call)
        and symbol.startswith(("tf.contrib.layers.", "tf.keras.regularizers."))
        and all(isinstance(n, _PLAIN) for a in node.args for n in walk_breadth_first(a))
    )


def _may_read_penalties(tree: ast.Module, scopes: Scopes) -> bool:
    """Whether anything may ask for the collection of penalties, or for a layer's own."""
    for node in walk_breadth_first(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            paths = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
            )
            if getattr(node, "level", 0) or any(
                path.split(".")[0] not in _QUIET_MODULES for path in paths
            ):
                return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if "regularization" in node.value:
                return True
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name.startswith("get_collection") and not _asks_other(node, scopes):
                return True
        name = getattr(node, "attr", getattr(node, "id", ""))
        if _READS_PENALTIES.search(str(name)):
            return True
        if isinstance(node, ast.Attribute) and node.attr == "losses":
            if scopes.resolve(node) is None:
                return True  # A layer's.
    return any(
        symbol.startswith(("tf.keras.", "tf.estimator.", "tf.contrib.learn."))
        and not symbol.startswith(("tf.keras.regularizers", "tf.keras.initializers"))
        for _, symbol in scopes.walk_uses()
    )


def _asks_other(call: ast.Call, scopes: Scopes) -> bool:
    """`tf.get_collection` of a collection that is known to be another one."""
    key = call.args[0] if call.args else names.find_argument(call, "key")
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str)  # None of those that are searched for.
    symbol = scopes.resolve(key) if key is not None else None
    return (symbol or "").startswith("tf.GraphKeys.")


class _Losses(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._gone: list[ast.stmt] = []
        self._taken = find_plain_names(self._tree) | {
            n.arg for n in walk_breadth_first(self._tree) if isinstance(n, ast.arg)
        }

    def _list_calls(self, *symbols: str) -> list[ast.Call]:
        return self._scopes.list_calls(*symbols)

    def rewrite(self) -> Text | None:
        asked = self._list_calls(_TOTAL, _ALL)
        made = sorted(
            (
                call
                for call in self._list_calls(_ADD, *_COLLECTING)
                if self._reads_collection(call) is not None
            ),
            key=lambda call: call.lineno,
        )
        if len(asked) != 1 or not made or self._has_regularisers():
            return None
        function = self._find_function(asked[0])
        if any(self._find_function(call) is not function for call in made) or any(
            call.lineno >= asked[0].lineno for call in made
        ):
            return None
        if isinstance(function, ast.FunctionDef) and not self._runs_once(function):
            return None
        total = self._find_total(asked[0], function)
        if total is None:
            return None
        edits: list[Edit] = []
        losses: list[str] = []
        for call in made:
            name = self._name_loss(call, edits)
            if name is None:
                return None
            losses.append(name)
        display = f"[{', '.join(losses)}]"
        new = display if total == "" else f"{total}({display})"
        edits.append(Edit(asked[0], losses[0] if total and len(losses) == 1 else new))
        text = self._text.apply_edits(edits)
        for statement in reversed(self._gone):
            end = statement.end_lineno or statement.lineno
            text = text.splice(statement.lineno, end, [], [])
        return text

    def _reads_collection(self, call: ast.Call) -> bool | None:
        """True, or None for a loss that is given `loss_collection=None`."""
        given = names.find_argument(call, "loss_collection")
        if given is None:
            return True
        return None if isinstance(given, ast.Constant) and given.value is None else True

    def _has_regularisers(self) -> bool:
        """Whether regularisers collect losses too, which the total has in it."""
        return any(
            keyword.arg is not None
            and keyword.arg.endswith("regularizer")
            and not (
                isinstance(keyword.value, ast.Constant) and keyword.value.value is None
            )
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
        )

    def _find_function(self, node: ast.AST) -> ast.AST | None:
        """The function whose body runs `node` exactly once per call, else None."""
        child, parent = node, self._scopes.parents.get(node)
        while parent is not None:
            if isinstance(parent, (ast.FunctionDef, ast.Module)):
                return parent
            if isinstance(
                parent,
                (
                    ast.For,
                    ast.While,
                    ast.If,
                    ast.Try,
                    ast.IfExp,
                    ast.Lambda,
                    ast.BoolOp,
                ),
            ) and not self._is_main(parent):
                return None
            child, parent = parent, self._scopes.parents.get(parent)
        return child

    def _is_main(self, node: ast.AST) -> bool:
        """`if job == "worker":` holds the whole graph: made once or not at all."""
        return isinstance(node, ast.If) and any(
            isinstance(n, ast.Call) and self._scopes.resolve(n.func) in roles.SESSIONS
            for n in walk_breadth_first(node)
        )

    def _runs_once(self, function: ast.FunctionDef) -> bool:
        uses = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and function in reach.find_definitions(self._scopes, node)
        ]
        if any(self._is_repeated(use) for use in uses):
            return False
        return len(uses) <= 1 and isinstance(
            self._scopes.parents.get(function), ast.Module
        )

    def _is_repeated(self, node: ast.AST | None) -> bool:
        while node is not None and not isinstance(node, ast.FunctionDef):
            if isinstance(node, (ast.For, ast.While, ast.comprehension)):
                return True
            node = self._scopes.parents.get(node)
        return False

    def _find_total(self, asked: ast.Call, function: ast.AST | None) -> str | None:
        """`tf.add_n` by the program's name for it, "" for the list; None if unclear."""
        if function is None or names.find_argument(asked, "scope") is not None:
            return None
        symbol = self._scopes.resolve(asked.func)
        if symbol == _ALL:
            return None if asked.args or asked.keywords else ""
        spelled = self._text.find_segment(asked.func)
        module, dot, rest = spelled.partition(".losses.get_total_loss")
        if not dot or rest or not all(map(str.isidentifier, module.split("."))):
            return None
        return f"{module}.add_n"

    def _name_loss(self, call: ast.Call, edits: list[Edit]) -> str | None:
        """The name that a loss has; one is given to it if it has none."""
        statement = self._scopes.parents.get(call)
        adds = self._scopes.resolve(call.func) == _ADD
        if isinstance(statement, ast.Expr):
            if adds:
                value = names.find_argument(call, "loss", 0)
                if value is None:
                    return None
                if (
                    isinstance(value, ast.Name)
                    and self._is_bound_once(value)
                    and self._text.is_alone(statement)
                ):
                    self._gone.append(statement)
                    return value.id
                name = self._choose_free_name()
                edits.append(Edit(call, f"{name} = {self._text.find_segment(value)}"))
                return name
            name = self._choose_free_name()
            edits.append(Edit(call, f"{name} = {self._join_lines(call)}"))
            return name
        if (
            not adds
            and isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and self._is_bound_once(statement.targets[0])
        ):
            return statement.targets[0].id
        return None

    def _choose_free_name(self) -> str:
        number = 1
        while f"loss_{number}" in self._taken:
            number += 1
        self._taken.add(f"loss_{number}")
        return f"loss_{number}"
