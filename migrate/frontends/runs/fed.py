"""What a run call feeds: placeholders and the values they are given."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.effects import has_effect
from migrate.facts.scopes import Scopes
from migrate.frontends.displays import Displays
from migrate.frontends.iterators import Iterators
from migrate.frontends.runs.loop import Loop
from migrate.program.binding_time import Analysis, Diagnostics


class Fed:
    """Reads feeds, and refuses those of which something would be lost."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        displays: Displays,
        inputs: Iterators,
        loop: Loop,
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._displays = displays
        self._inputs = inputs
        self._loop = loop

    def of(self, call: ast.Call) -> dict[str, ast.expr] | None:
        """Each placeholder's value; None, with a refusal, where that cannot be told."""
        node = names.argument(call, "feed_dict", 1)
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return {}
        display = self._displays.display(node)
        if not isinstance(display, ast.Dict):
            self._diagnostics.refuse(
                "S106",
                node,
                "the feed is not written out as a dict where it is used",
                "Write feed_dict={placeholder: value, ...} in the call.",
            )
            return None
        feed: dict[str, ast.expr] = {}
        own = self._loop.own(call)
        for key, value in zip(display.keys, display.values):
            name = names.key(key) if key is not None else None
            if (
                name is None
                or name not in (*self._analysis.placeholders, *self._inputs.elements)
                or (key is not None and names.reads(key) & own)
            ):
                self._diagnostics.refuse(
                    "S107",
                    key or node,
                    "the feed replaces a tensor that is not a placeholder",
                    "Make a placeholder, or a parameter of the step function, of it.",
                )
                return None
            feed[name] = value
        return feed

    def element(
        self, call: ast.Call, needed: frozenset[str], feed: dict[str, ast.expr]
    ) -> list[ast.expr] | None:
        """What is fed in place of an iterator's element; empty if one is drawn.

        None, with a refusal, where only parts of it are fed, of which TF1 would still
        have drawn the others.
        """
        drawn = {n for n in needed if n in self._inputs.elements}
        given = {n for n in feed if n in self._inputs.elements}
        if not given & drawn:
            return []
        flow = self._inputs.elements[next(iter(given))][1]
        assert isinstance(flow.statement, ast.Assign)
        target = flow.statement.targets[0]
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        names_ = [names.key(part) or "" for part in parts]
        if given != set(names_) or not drawn <= given:
            self._diagnostics.refuse(
                "S107",
                call,
                "only a part of an iterator's element is fed",
                "Feed all of it, or make a placeholder of what is fed.",
            )
            return None
        return [feed[name] for name in names_]

    def check_computed(self, feed: dict[str, ast.expr], why: str) -> None:
        """Refuses values whose computation does something, where none is computed."""
        for value in feed.values():
            if has_effect(value, self._scopes):
                self._diagnostics.refuse(
                    "S106",
                    value,
                    why,
                    "Compute it in a statement before.",
                )

    def arguments(
        self, call: ast.Call, needed: frozenset[str], feed: dict[str, ast.expr]
    ) -> list[str] | None:
        """The placeholders a step takes; None, with a refusal, where one is not fed.

        Args:
          needed: names that the step reads.
        """
        feeds: list[str] = []
        for name, placeholder in self._analysis.placeholders.items():
            if name not in needed:
                continue
            if name not in feed and placeholder.default is None:
                self._diagnostics.refuse(
                    "S111",
                    call,
                    f"placeholder `{name}` is needed here, but not fed",
                )
                return None
            if name in feed:
                feeds.append(name)
        for name, value in feed.items():
            if name not in needed:
                self.check_computed(
                    {name: value},
                    f"what is fed to `{name}` would not be computed, as this run does "
                    "not need it",
                )
        return feeds
