"""Checks that updates taken from Keras's networks are also run.

TF1 ran the updates that something waited for. TensorFlow 2 runs each update that is taken
out of `net.updates`: by a loop, into a list, by its index. So if some are taken, the tool
has to see that the program waits for all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import values
from migrate.source.nodes import walk_breadth_first

# A function that waits for operations; functions whose result waits for their arguments.
_WAITS = "tf.control_dependencies"
_GROUPS = frozenset({"tf.group", "tf.tuple"})
_KEEPS = frozenset({"tf.add_to_collection"})
# Functions that run UPDATE_OPS by themselves.
_READERS = frozenset(
    {
        "tf.contrib.training.create_train_op",
        "tf.contrib.slim.learning.create_train_op",
        "tf.contrib.layers.optimize_loss",
    }
)
# Arguments whose operations run with every update.
_RUN = frozenset({"train_op", "train_op_fn", "update_ops"})
_SPECIFICATIONS = ("EstimatorSpec", "TPUEstimatorSpec")
_LISTS = frozenset({"list", "tuple"})
_GROWS = frozenset({"append", "extend", "insert"})
# Functions that only look at a list.
_LOOKS = frozenset({"len", "print", "bool", "str", "repr", "isinstance", "type"})
_BRANCHES = (ast.If, ast.IfExp, ast.Break, ast.Continue, ast.Try, ast.While, ast.Return)
_MODES = frozenset({"mode", "ModeKeys", "training", "is_training"})


def find_unseen(scopes: Scopes) -> Iterator[ast.expr]:
    """Yields taken updates if the tool does not see that all of them are run."""
    for node in walk_breadth_first(scopes.tree):
        if _reads(node):
            assert isinstance(node, ast.expr)
            if _Fate(scopes).is_unseen(node):
                yield node


def _reads(node: ast.AST) -> bool:
    """Whether a node is `net.updates` or `net.get_updates_for(x)`."""
    if isinstance(node, ast.Attribute):
        return node.attr == "updates" and isinstance(node.ctx, ast.Load)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get_updates_for"
    )


class _Fate:
    """The uses of one list of updates.

    Attributes:
      taken: the place where they are first taken out of it; None if they are not taken.
      waits: calls that wait for them.
      choices: conditionals between them and something else.
      lost: whether some are not followed, or only a part is used.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._seen: set[ast.AST] = set()
        self.taken: ast.AST | None = None
        self.waits: list[ast.AST] = []
        self.choices: list[ast.IfExp] = []
        self.lost = False

    def is_unseen(self, node: ast.expr) -> bool:
        self._follow(node)
        if self.lost or self.taken is None:
            return self.lost
        if not all(_is_of_mode(choice.test) for choice in self.choices):
            return True
        return not any(self._is_always_made(call) for call in self.waits)

    def _follow(self, node: ast.AST) -> None:
        """Follows the updates from an expression to the code that has them next."""
        if node in self._seen:
            return
        self._seen.add(node)
        parent = self._scopes.parents[node]
        if isinstance(parent, (ast.Starred, ast.List, ast.Tuple)):
            if isinstance(parent, ast.Starred):
                self._take(node)
            self._follow(parent)
        elif isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
            self._follow(parent)
        elif isinstance(parent, (ast.Expr, ast.UnaryOp, ast.Compare, ast.Assert)):
            pass
        elif isinstance(parent, ast.BoolOp):
            self._follow(parent)
        elif isinstance(parent, (ast.If, ast.IfExp)) and parent.test is node:
            pass
        elif isinstance(parent, ast.IfExp):
            self.choices.append(parent)
            self._follow(parent)
        elif isinstance(parent, (ast.ListComp, ast.GeneratorExp)):
            self._read_comprehension(node, parent)
        elif isinstance(parent, ast.For) and parent.iter is node:
            self._read_loop(parent)
        elif isinstance(parent, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            self._follow_assignment(parent)
        elif isinstance(parent, ast.keyword):
            self._follow_argument(node, self._scopes.parents[parent], parent.arg)
        elif isinstance(parent, ast.Call):
            self._follow_argument(node, parent, None)
        elif isinstance(parent, ast.Return):
            self._follow_return(parent)
        elif isinstance(parent, ast.Lambda):
            self._follow(parent)
        elif isinstance(parent, ast.Attribute) and parent.attr in _GROWS:
            pass  # Its arguments come to the same name.
        else:
            self.lost = True

    def _take(self, node: ast.AST) -> None:
        self.taken = self.taken or node

    def _read_comprehension(
        self, node: ast.AST, whole: ast.ListComp | ast.GeneratorExp
    ) -> None:
        """Follows `[u for u in net.updates]`."""
        self._take(node)
        last = whole.generators[-1]
        simple = node is last.iter and not last.ifs
        if simple and isinstance(last.target, ast.Name):
            if names.find_key(whole.elt) == last.target.id:
                self._follow(whole)
                return
        self.lost = True

    def _read_loop(self, loop: ast.For) -> None:
        """Follows `for u in net.updates: ops.append(u)`, with nothing but such statements."""
        self._take(loop)
        target = names.find_key(loop.target)
        for statement in loop.body:
            if any(isinstance(n, _BRANCHES) for n in walk_breadth_first(statement)):
                self.lost = True
            if isinstance(statement, ast.Expr) and isinstance(
                statement.value, ast.Call
            ):
                for argument in statement.value.args:
                    if names.find_key(argument) == target:
                        self._follow(argument)
                        break
            elif isinstance(statement, ast.AugAssign):
                if ast.unparse(statement.value) == f"[{target}]":
                    self._follow(statement.value)
        used = [
            n
            for n in walk_breadth_first(loop)
            if isinstance(n, ast.Name)
            and n.id == target
            and isinstance(n.ctx, ast.Load)
            and n not in self._seen
            and self._scopes.parents[n] not in self._seen
        ]
        if target is None or used or loop.orelse:
            self.lost = True

    def _follow_assignment(
        self, statement: ast.Assign | ast.AugAssign | ast.AnnAssign
    ) -> None:
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
        )
        if isinstance(statement, ast.AugAssign) and not self._is_own(statement.target):
            self._take(statement)
        for target in targets:
            self._follow_name(target, statement)

    def _follow_name(self, target: ast.expr, statement: ast.AST) -> None:
        """Follows all reads of a name or an attribute."""
        if isinstance(target, ast.Attribute):
            for node in self._scopes.walk():
                if isinstance(node, ast.Attribute) and node.attr == target.attr:
                    if isinstance(node.ctx, ast.Load):
                        self._follow(node)
            return
        if not isinstance(target, ast.Name):
            self.lost = True
            return
        owner = self._scopes.find_scope(target).find_owner(target.id)
        bound = owner.bindings.get(target.id, []) if owner is not None else []
        if self.taken is not None and not all(
            self._keeps(b, target.id, statement) for b in bound
        ):
            self.lost = True
        for node in self._scopes.walk():
            if (
                isinstance(node, ast.Name)
                and node.id == target.id
                and isinstance(node.ctx, ast.Load)
                and self._scopes.find_scope(node).find_owner(node.id) is owner
            ):
                self._follow(node)

    def _is_own(self, target: ast.expr) -> bool:
        """Whether a name is a network's own list, which takes others' as they are."""
        if not isinstance(target, ast.Name):
            return False
        owner = self._scopes.find_scope(target).find_owner(target.id)
        bound = owner.bindings.get(target.id, []) if owner is not None else []
        made = [b.value for b in bound if isinstance(b, ast.Assign)]
        return (
            bool(made)
            and all(_reads(value) for value in made)
            and all(isinstance(b, (ast.Assign, ast.AugAssign)) for b in bound)
        )

    def _keeps(self, bound: ast.AST, name: str, statement: ast.AST) -> bool:
        """Whether another binding of a name does not replace the updates."""
        if bound is statement or isinstance(bound, ast.AugAssign):
            return True
        if not isinstance(bound, (ast.Assign, ast.AnnAssign)) or bound.value is None:
            return False
        if name in names.find_reads(bound.value):
            return True
        around = self._scopes.parents[bound]
        other = isinstance(around, ast.If) and any(
            n is around for n in self._scopes.walk_above(statement)
        )
        assert isinstance(statement, (ast.stmt, ast.expr))
        return other or bound.lineno < statement.lineno

    def _follow_argument(
        self, node: ast.AST, call: ast.AST, keyword: str | None
    ) -> None:
        """Follows an argument of a call."""
        assert isinstance(call, ast.Call)
        if call.func is node:
            return  # A method's name: `updates.append`, as below.
        symbol = self._scopes.resolve(call.func) or ""
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        last = symbol.rpartition(".")[2]
        if keyword in _RUN or (last in _SPECIFICATIONS and call.args[3:4] == [node]):
            self.waits.append(call)
        elif symbol == _WAITS or method == "control_dependencies":
            self.waits.append(call)
        elif symbol in _GROUPS:
            self._take(node)
            self._follow(call)
        elif symbol in _KEEPS:
            self._follow_collection(call)
        elif names.find_key(call.func) in _LISTS:
            self._take(node)
            self._follow(call)
        elif method in _GROWS:
            assert isinstance(call.func, ast.Attribute)
            if method == "extend" and not self._is_own(call.func.value):
                self._take(call)
            self._follow_name(call.func.value, call)
        elif not (
            names.find_key(call.func) in _LOOKS or symbol.startswith("tf.logging.")
        ):
            self.lost = True

    def _follow_collection(self, call: ast.Call) -> None:
        """Follows a collection: it is run if some code reads it."""
        key = ast.unparse(call.args[0]) if call.args else ""
        for node in self._scopes.walk():
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func)
            if symbol in _READERS and key.endswith("UPDATE_OPS"):
                self.waits.append(node)
            elif symbol == "tf.get_collection" and node.args:
                if ast.unparse(node.args[0]) == key:
                    self._follow(node)

    def _follow_return(self, statement: ast.Return) -> None:
        """Follows the calls of the function, or its use as `train_op_fn`."""
        function = values.find_function(self._scopes, statement)
        if function is None:
            self.lost = True
            return
        for node in self._scopes.walk():
            if names.find_key(node) != function.name:
                continue
            parent = self._scopes.parents[node]
            if isinstance(parent, ast.Call) and parent.func is node:
                self._follow(parent)
            elif isinstance(parent, ast.keyword):
                self._follow(node)

    def _is_always_made(self, call: ast.AST) -> bool:
        """Whether a call is made whenever the updates are taken, or only in training."""
        begun = (
            set(self._scopes.walk_above(self.taken))
            if self.taken is not None
            else set()
        )
        return all(
            above in begun or _is_of_mode(above.test)
            for above in self._scopes.walk_above(call)
            if isinstance(above, (ast.If, ast.IfExp))
        )


def _is_of_mode(test: ast.expr) -> bool:
    return any(
        (isinstance(n, ast.Name) and n.id in _MODES)
        or (isinstance(n, ast.Attribute) and n.attr in _MODES)
        for n in walk_breadth_first(test)
    )
