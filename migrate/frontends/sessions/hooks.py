"""Hooks that TensorFlow has, and the tensors they show."""

from __future__ import annotations

import ast
import json

from migrate.facts import names
from migrate.facts.named_tensors import NamedTensors
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.displays import Displays
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables.hooks import CALLBACK, HOOKS, SESSION_HOOK, HookRow

# Hooks that run operations of the graph or feed it -> what to do.
_OF_GRAPHS = {
    "tf.train.FinalOpsHook": "Fetch the operations in the run of the training operation, "
    "sess.run([train_op, operations]), and use what the last run returned.",
    "tf.train.FeedFnHook": "Feed the values in the run of the training operation: "
    "sess.run(train_op, feed_dict={x: value}).",
}


class SessionHooks:
    """Finds the hooks a program makes.

    Attributes:
      edits: what is written in place of the call that makes a hook.
      observed: the tensors that hooks are given after a step, by their tags.
    """

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        displays: Displays,
        flows: list[Flow],
        tail: list[ast.stmt],
        driver: ast.AST,
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.displays = displays
        inside = driver.body[0] if isinstance(driver, ast.FunctionDef) else None
        scope = scopes.find_scope(inside) if inside is not None else scopes.module
        self._named = NamedTensors(scopes, scope)
        self.flows = flows
        self.tail = tail
        self.edits: dict[ast.Call, Code] = {}
        self.observed: dict[str, ast.expr] = {}

    def find(self) -> None:
        statements = [
            *[f.statement for f in list_every_flow(self.flows) if not f.suites],
            *self.tail,
        ]
        for statement in statements:
            for node in walk_breadth_first(statement):
                if isinstance(node, ast.Call):
                    symbol = self.scopes.resolve(node.func)
                    row = HOOKS.get(symbol or "")
                    if row is not None and node not in self.edits:
                        self._rewrite_hook(node, row)
                    elif row is None and symbol in _OF_GRAPHS:
                        self.diagnostics.refuse(
                            "N151",
                            node,
                            "this hook runs operations of the graph or feeds it, "
                            "and chooses itself when",
                            _OF_GRAPHS[symbol],
                            symbol,
                        )

    def _rewrite_hook(self, call: ast.Call, row: HookRow) -> None:
        bound = names.bind_arguments(call, row.parameters)
        if bound is None:
            self.diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell this hook's arguments apart",
                "Write its arguments out, without * and **.",
                symbol=row.symbol,
            )
            return
        listeners = bound.get("listeners")
        if listeners is not None and not _is_empty(listeners):
            self.diagnostics.refuse(
                "H122",
                listeners,
                "the migrated training session calls no listeners of its checkpoints",
                "Write a tf.train.SessionRunHook beside the hook that saves. It "
                "requests the global step in before_run. Every save_steps steps, "
                f"its after_run does what the listener did. {SESSION_HOOK} "
                f"{CALLBACK}",
                "tf.train.CheckpointSaverListener",
            )
        parts: list[Code] = []
        for name, value in bound.items():
            if name == row.tensors:
                keys = self._observe(value, row)
                if keys is None:
                    return
                parts.append(make_code(f"{name}=", keys))
            else:
                parts.append(make_code(f"{name}=", value))
        self.edits[call] = make_code(
            "training_session.", row.target, "(", join_code(", ", parts), ")"
        )

    def observe(self, tag: str, tensor: ast.expr, where: ast.AST) -> bool:
        """Whether steps can give a tensor by this tag: no other one has it."""
        known = self.observed.setdefault(tag, tensor)
        if ast.unparse(known) == ast.unparse(tensor):
            return True
        self.diagnostics.refuse(
            "N151",
            where,
            f"{tag!r} is also what another hook calls `{ast.unparse(known)}`",
            "Give the two tensors names of their own.",
        )
        return False

    def _observe(self, value: ast.expr, row: HookRow) -> str | None:
        """Has the step functions give a hook's tensors; returns the keys as source."""
        display = self.displays.find_display(value)
        pairs: list[tuple[str, ast.expr]] = []
        item: ast.expr
        if row.tensors == "tensors":
            if isinstance(display, ast.Dict):
                for key, item in zip(display.keys, display.values):
                    text = names.read_literal(key)
                    if not isinstance(text, str):
                        self.diagnostics.refuse(
                            "N151",
                            value,
                            "a tag of the hook is not a string",
                            'Write the tags as strings: {"loss": loss}.',
                        )
                        return None
                    pairs.append((text, item))
                pairs.sort(key=lambda pair: pair[0])
            elif isinstance(display, (ast.List, ast.Tuple)):
                pairs = [(_find_tag(item), item) for item in display.elts]
            else:
                self.diagnostics.refuse(
                    "N151",
                    value,
                    "the hook's tensors are not written out where it is made",
                    "Write the tensors in the call of the hook, as a dict.",
                    row.symbol,
                )
                return None
        else:
            if isinstance(value, ast.Constant) and value.value is None:
                return "None"
            if isinstance(display, (ast.List, ast.Tuple)):
                if len(display.elts) != 1:
                    self.diagnostics.refuse(
                        "N151",
                        value,
                        "the hook gets a list of several summaries",
                        "Pass one summary: tf.summary.merge([first, second]).",
                        row.symbol,
                    )
                    return None
                value = display.elts[0]
            pairs = [(ast.unparse(value), value)]
        for tag, item in pairs:
            if self._merges(item) and self._makes_summaries_after(item):
                self.diagnostics.refuse(
                    "N151",
                    item,
                    "the program makes summaries after the hook has merged them",
                    "Make the hook after the last summary.",
                    row.symbol,
                )
                return None
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                found = self._named.find(item.value)
                if found is not None:
                    if not self.observe(tag, found, item):
                        return None
                    continue
                self.diagnostics.refuse(
                    "H102",
                    item,
                    "the hook names a tensor by a string",
                    "Pass the tensor itself to the hook.",
                    row.symbol,
                )
                return None
            if not self.observe(tag, item, item):
                return None
        keys = [json.dumps(tag, ensure_ascii=False) for tag, _ in pairs]
        return f"[{', '.join(keys)}]" if row.tensors == "tensors" else keys[0]

    def _merges(self, item: ast.expr) -> bool:
        """`tf.summary.merge_all()`, which is of the summaries that there are by then."""
        return isinstance(item, ast.Call) and (
            self.scopes.resolve(item.func) == "tf.summary.merge_all"
        )

    def _makes_summaries_after(self, item: ast.expr) -> bool:
        """Whether the graph's statements make summaries after the one with `item`."""
        seen = False
        for flow in list_every_flow(self.flows):
            if flow.suites:
                continue
            if seen and flow.kind is Kind.SUMMARY:
                return True
            seen = seen or any(
                node is item for node in walk_breadth_first(flow.statement)
            )
        return False


def _is_empty(listeners: ast.expr) -> bool:
    """Whether it is None, or a list without elements."""
    if isinstance(listeners, (ast.List, ast.Tuple)):
        return not listeners.elts
    return isinstance(listeners, ast.Constant) and listeners.value is None


def _find_tag(item: ast.expr) -> str:
    """Returns the tag under which TF1's hook logs a tensor of a list."""
    literal = names.read_literal(item)
    return literal if isinstance(literal, str) else ast.unparse(item)
