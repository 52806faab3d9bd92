"""Splits runs of a plain session that depend on a value of its loop.

    cost = sess.run(tf.reduce_sum(tf.square(pred - Y)) / test_X.shape[0], {X: test_X})
    label = sess.run(tf.argmax(labels[r:r + 1], 1))
    sess.run(tf.assign(rate, 0.1 * 0.9 ** epoch))

TF1 added such operations to the graph when it came to them, with the value as a constant.
The part that needs the graph is still run. The rest is computed from its value and from
the loop's values, as TensorFlow 2 does, at once:

    cost = (tf.constant(sess.run(tf.reduce_sum(...), {X: test_X})) / test_X.shape[0]).numpy()
    label = tf.argmax(labels[r:r + 1], 1).numpy()
    rate.assign(0.1 * 0.9 ** epoch)
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.helpers import find
from migrate.findings import Outcome
from migrate.normalise.text import Edit, ParsedText, Text, repeat_step
from migrate.rules.symbols import find_verdict
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_FUNCTIONS
from migrate.tables.unsupported import MNIST_SYMBOLS

_ASSIGN = {"tf.assign": "assign", "tf.assign_add": "assign_add"} | {
    "tf.assign_sub": "assign_sub"
}
_CONTAINERS = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Tuple)
# Not computed anew: they make something, draw numbers, or act on a graph.
_NOT_AT_ONCE = (
    *("tf.random", "tf.train", "tf.layers", "tf.contrib", "tf.summary", "tf.losses"),
    *("tf.nn.dropout", "tf.nn.rnn", "tf.nn.dynamic_rnn", "tf.distributions", "tf.data"),
    *(
        "tf.multinomial",
        "tf.truncated_normal",
        "tf.keras",
        "tf.estimator",
        "tf.py_func",
    ),
    *("tf.gradients", "tf.metrics", "tf.Print", "tf.control_dependencies", "tf.image"),
)


def split_runs(text: Text) -> Text:
    """The text with such runs taken apart."""
    return repeat_step(text, lambda t: _Late(t).rewrite_value(), "Session(")


@dataclasses.dataclass(frozen=True, eq=False)
class _Region:
    """Code in which a session is run.

    Attributes:
      body: its statements.
      sessions: what the session is called.
      late: names of plain values that the code binds or changes.
      graph: names of what TensorFlow's functions make, except
      at_once: those made of such values alone.
    """

    body: list[ast.stmt]
    sessions: frozenset[str]
    late: set[str]
    graph: set[str]
    at_once: frozenset[str] = frozenset()


class _Late(ParsedText):
    def rewrite_value(self) -> Text | None:
        for region in self._find_regions():
            for node in (n for s in region.body for n in walk_breadth_first(s)):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "run"
                    and names.find_key(node.func.value) in region.sessions
                ):
                    new = self._split_run(node, region)
                    if new is not None:
                        return self._text.apply_edits([Edit(node, new)])
        return None

    def _find_regions(self) -> Iterator[_Region]:
        """Blocks of plain sessions of one process, and functions that run them."""
        for node in walk_breadth_first(self._tree):
            for item in node.items if isinstance(node, ast.With) else ():
                call = item.context_expr
                if not (
                    isinstance(node, ast.With)
                    and isinstance(call, ast.Call)
                    and self._scopes.resolve(call.func) in roles.PLAIN_SESSIONS
                    and names.find_argument(call, "target", 0) is None
                    and isinstance(item.optional_vars, ast.Name)
                ):
                    continue
                session = item.optional_vars.id
                scope = self._scopes.find_scope(node)
                graph = self._find_graph_names(scope.node, set())
                yield self._read_region(
                    node.body, {session}, self._find_changed_names(node) - graph, graph
                )
                for helper in find(self._scopes, call, session):
                    own = helper.find_own_names()
                    inside = self._find_graph_names(helper.node, graph - own)
                    yield self._read_region(
                        helper.node.body, helper.sessions, own - inside, inside
                    )

    def _read_region(
        self,
        body: list[ast.stmt],
        sessions: Iterable[str],
        late: set[str],
        graph: set[str],
    ) -> _Region:
        """Reads a region, with the names computed only from the loop's values."""
        at_once: set[str] = set()
        grown = True
        while grown:
            grown = False
            for node in (
                n for statement in body for n in walk_breadth_first(statement)
            ):
                if not (
                    isinstance(node, ast.Assign)
                    and len(node.targets) == 1
                    and isinstance(node.targets[0], ast.Name)
                    and node.targets[0].id in graph
                    and len(self._list_bindings(node.targets[0])) == 1
                    and names.find_reads(node.value) & (late | at_once)
                ):
                    continue
                region = _Region(body, frozenset(sessions), late | at_once, graph)
                if self._find_inner(node.value, region) == []:
                    at_once.add(node.targets[0].id)
                    graph = graph - at_once
                    grown = True
        return _Region(body, frozenset(sessions), late, graph, frozenset(at_once))

    def _list_bindings(self, name: ast.Name) -> list[ast.AST]:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        return owner.bindings.get(name.id, []) if owner is not None else []

    def _find_changed_names(self, block: ast.With) -> set[str]:
        """Names of what the session's block binds or changes."""
        found: set[str] = set()
        for statement in block.body:
            found |= names.find_binds(statement)
            found |= {
                name
                for name in names.find_mutations(statement)
                if not self._is_module(name.partition(".")[0])
            }
        return found

    def _is_module(self, name: str) -> bool:
        bound = self._scopes.module.bindings.get(name, [])
        return any(isinstance(b, (ast.Import, ast.ImportFrom)) for b in bound)

    def _find_graph_names(self, owner: ast.AST, known: set[str]) -> set[str]:
        """Names of what TensorFlow's functions make, in a function's or module's scope.

        Args:
          known: those of the scopes around.
        """
        statements = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
            and self._scopes.find_scope(node).node in (owner, self._tree)
            and (not known or self._scopes.find_scope(node).node is owner)
        ]
        found = set(known)
        grown = True
        while grown:
            grown = False
            for node in statements:
                binds = names.find_binds(node)
                value = node.value
                if value is not None and binds - found:
                    if self._makes_graph(value, found):
                        found |= binds
                        grown = True
        return found

    def _makes_graph(self, value: ast.expr, graph: set[str]) -> bool:
        """Whether it names graph, and is not what a run of it gives."""
        stack: list[ast.AST] = [value]
        while stack:
            node = stack.pop()
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("run", "eval", "numpy", "as_list", "next_batch")
            ):
                continue
            if names.find_key(node) in graph:
                return True
            if isinstance(node, ast.Call):  # A dtype alone is none.
                symbol = self._scopes.resolve(node.func) or ""
                if (
                    symbol.startswith("tf.")
                    and symbol not in MNIST_SYMBOLS
                    and not roles.has_prefix(symbol, roles.HOST_PREFIXES)
                ):
                    return True
            stack.extend(list_children(node))
        return False

    # -- one run ---------------------------------------------------------------------------

    def _split_run(self, call: ast.Call, region: _Region) -> str | None:
        """Returns the code that replaces a run; None if the run stays."""
        bound = names.bind_arguments(call, ("fetches", "feed_dict"))
        if bound is None or "fetches" not in bound:
            return None
        fetched, fed = bound["fetches"], bound.get("feed_dict")
        if self._is_at_once(fetched, region) and self._is_plain(fed):
            return self._spell_values(fetched)
        if isinstance(fetched, (ast.List, ast.Tuple, ast.Dict)):
            return None
        if (
            names.find_key(fetched) is not None
            or not names.find_reads(fetched) & region.late
        ):
            return None
        if self._is_host_choice(fetched):
            return None
        assigned = self._spell_assignment(call, fetched, region)
        if assigned is not None:
            return assigned if fed is None else None
        inner = self._find_inner(fetched, region)
        if inner is None or len(inner) > 1:
            return None
        if not inner:
            return (
                f"{self._spell_operand(fetched)}.numpy()"
                if self._is_plain(fed)
                else None
            )
        tensorflow = self._find_tensorflow()
        if tensorflow is None:
            return None
        feed = f", {self._join_lines(fed)}" if fed is not None else ""
        run = f"{self._join_lines(call.func)}({self._join_lines(inner[0])}{feed})"
        source, part = ast.unparse(fetched), ast.unparse(inner[0])
        if source.count(part) != 1:
            return None
        whole = source.replace(part, f"{tensorflow}.constant({run})")
        return f"{whole if isinstance(fetched, ast.Call) else f'({whole})'}.numpy()"

    def _is_host_choice(self, fetched: ast.expr) -> bool:
        """`ops[i]`, where Python takes a part of a list, a tuple or a dict."""
        root = fetched
        while isinstance(root, ast.Subscript):
            root = root.value
        if root is fetched or not isinstance(root, ast.Name):
            return isinstance(root, _CONTAINERS)
        return any(
            isinstance(bound, ast.Assign) and isinstance(bound.value, _CONTAINERS)
            for bound in self._list_bindings(root)
        )

    def _is_at_once(self, fetched: ast.expr, region: _Region) -> bool:
        """Whether it is the name of such a value, or a list of them."""
        if isinstance(fetched, (ast.List, ast.Tuple)):
            return bool(fetched.elts) and all(
                isinstance(e, ast.Name) and e.id in region.at_once for e in fetched.elts
            )
        return isinstance(fetched, ast.Name) and fetched.id in region.at_once

    def _spell_values(self, fetched: ast.expr) -> str:
        if isinstance(fetched, (ast.List, ast.Tuple)):
            return (
                f"[{', '.join(self._join_lines(e) + '.numpy()' for e in fetched.elts)}]"
            )
        return f"{self._join_lines(fetched)}.numpy()"

    def _is_plain(self, fed: ast.expr | None) -> bool:
        """Whether nothing is fed, or names and constants that no one misses."""
        return fed is None or not any(
            isinstance(n, (ast.Call, ast.NamedExpr, ast.Await))
            for n in walk_breadth_first(fed)
        )

    def _spell_assignment(
        self, call: ast.Call, fetched: ast.expr, region: _Region
    ) -> str | None:
        """`tf.assign(v, value)` of a variable, where the value is the loop's."""
        if not isinstance(fetched, ast.Call):
            return None
        symbol = self._scopes.resolve(fetched.func) or ""
        bound = names.bind_arguments(fetched, ("ref", "value"))
        if symbol in _ASSIGN and bound is not None and len(bound) == 2:
            target, value, method = bound["ref"], bound["value"], _ASSIGN[symbol]
        elif (
            not symbol
            and isinstance(fetched.func, ast.Attribute)
            and fetched.func.attr in _ASSIGN.values()
            and len(fetched.args) == 1
            and not fetched.keywords
        ):
            target, value = fetched.func.value, fetched.args[0]
            method = fetched.func.attr
        else:
            return None
        if not self._is_variable(target) or self._makes_graph(value, region.graph):
            return None
        new = f"{self._join_lines(target)}.{method}({self._join_lines(value)})"
        alone = isinstance(self._scopes.parents[call], ast.Expr)
        return new if alone else f"{new}.numpy()"

    def _is_variable(self, node: ast.expr) -> bool:
        """Whether it is the name of one variable, bound once, or of each in a loop."""
        if not isinstance(node, ast.Name):
            return False
        if self._goes_through_variables(node):
            return True
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bindings = owner.bindings.get(node.id, []) if owner is not None else []
        return (
            len(bindings) == 1
            and isinstance(bindings[0], ast.Assign)
            and bindings[0].targets[0:] == bindings[0].targets[:1]
            and isinstance(bindings[0].targets[0], ast.Name)
            and isinstance(bindings[0].value, ast.Call)
            and self._scopes.resolve(bindings[0].value.func)
            in (roles.VARIABLES | roles.GLOBAL_STEPS)
        )

    def _goes_through_variables(self, node: ast.Name) -> bool:
        """`for v in tf.trainable_variables():`, `for v, a in zip(tf...variables(), x):`."""
        loop: ast.AST = node
        while loop in self._scopes.parents:
            loop = self._scopes.parents[loop]
            if not (
                isinstance(loop, ast.For) and node.id in names.find_binds(loop.target)
            ):
                continue
            target, through = loop.target, loop.iter
            if (
                isinstance(target, ast.Tuple)
                and isinstance(through, ast.Call)
                and isinstance(through.func, ast.Name)
                and through.func.id == "zip"
                and len(target.elts) == len(through.args)
            ):
                pairs = zip(target.elts, through.args)
                target, through = next(
                    (t, a)
                    for t, a in pairs
                    if isinstance(t, ast.Name) and t.id == node.id
                )
            return (
                isinstance(target, ast.Name)
                and isinstance(through, ast.Call)
                and self._scopes.resolve(through.func) in roles.TRAINABLE | roles.GLOBAL
            )
        return False

    def _find_inner(self, node: ast.expr, region: _Region) -> list[ast.expr] | None:
        """The largest parts that are of the graph; None if the rest cannot be computed.

        The rest is made of operators, indices and functions that only compute.
        """
        makes = self._makes_graph(node, region.graph)
        if not names.find_reads(node) & (region.late | region.at_once):
            return [node] if makes else []
        if not makes:
            return []
        if isinstance(node, ast.Call):
            symbol = self._scopes.resolve(node.func) or ""
            if not self._is_computation(symbol):
                return None
            parts: list[ast.expr] = [*node.args, *[k.value for k in node.keywords]]
        elif isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            parts = [node.operand]
        elif isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            parts = [node.value, node.slice]
        elif isinstance(node, ast.Slice):
            parts = [n for n in (node.lower, node.upper, node.step) if n]
        elif isinstance(node, (ast.Tuple, ast.List)):
            parts = node.elts
        else:
            return None
        found: list[ast.expr] = []
        for child in parts:
            inside = self._find_inner(child, region)
            if inside is None:
                return None
            found += inside
        return found

    def _is_computation(self, symbol: str) -> bool:
        return (
            symbol.startswith("tf.")
            and not symbol.startswith(_NOT_AT_ONCE)
            and symbol not in roles.KIND_OF_CALL
            and symbol not in LAYER_FUNCTIONS
            and find_verdict(symbol).outcome is not Outcome.REFUSED
        )

    def _find_tensorflow(self) -> str | None:
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.Name) and self._scopes.resolve(node) == "tf":
                return node.id
        return None

    def _spell_operand(self, node: ast.expr) -> str:
        text = self._join_lines(node)
        return text if isinstance(node, ast.Call) else f"({text})"
