"""Reads a run call's feed: placeholders and their values."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.effects import has_effect
from migrate.facts.scopes import Scopes
from migrate.frontends.runs.given import Given
from migrate.frontends.runs.loop import Loop
from migrate.frontends.sessions.displays import Displays
from migrate.frontends.sessions.iterators import Iterators
from migrate.program.binding_time import Analysis, Diagnostics
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first

# Functions that may not need the value of a tensor.
_OF_SHAPES = frozenset(
    {"tf.ones_like", "tf.rank", "tf.shape", "tf.size", "tf.zeros_like"}
)


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
        given: Given,
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._displays = displays
        self._inputs = inputs
        self._loop = loop
        self._given = given

    def read_feed(self, call: ast.Call) -> dict[str, ast.expr] | None:
        """Returns each placeholder's value; None, with a refusal, if not known."""
        node = names.find_argument(call, "feed_dict", 1)
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return {}
        display = self._displays.find_display(node)
        if not isinstance(display, ast.Dict):
            self._diagnostics.refuse(
                "S104",
                node,
                "the feed is not a dict that is written out where the program uses it",
                "Write feed_dict={placeholder: value, ...} in the call.",
            )
            return None
        if display is not node and self._is_computed_again(node, display):
            self._diagnostics.refuse(
                "S104",
                node,
                "the program computes the feed's values once, and feeds them to "
                "several runs",
                "Compute each value in a statement before, and feed the names.",
            )
            return None
        feed: dict[str, ast.expr] = {}
        own = self._loop.find_own_names(call)
        for key, value in zip(display.keys, display.values):
            name = names.find_key(key) if key is not None else None
            if name is not None and name not in self._inputs.elements:
                name = self._given.find_tensor(name)
            if name is None or (key is not None and names.find_reads(key) & own):
                self._diagnostics.refuse(
                    "S107",
                    key or node,
                    "the feed replaces a tensor, and no single plain statement "
                    "computes that tensor",
                    "Make a placeholder, or a parameter of the step function, in "
                    "place of the tensor.",
                )
                return None
            feed[name] = value
        return feed

    def _is_computed_again(self, name: ast.expr, display: ast.Dict) -> bool:
        """Whether a run that is given the values themselves would do something twice."""
        spelled = names.find_key(name)
        owner = self._scopes.find_scope(name)
        uses = [
            n
            for n in walk_breadth_first(owner.node)
            if isinstance(n, (ast.Name, ast.Attribute))
            and isinstance(n.ctx, ast.Load)
            and names.find_key(n) == spelled
        ]
        return len(uses) > 1 and any(
            has_effect(value, self._scopes) for value in display.values
        )

    def replace_element(
        self, call: ast.Call, needed: frozenset[str], feed: dict[str, ast.expr]
    ) -> list[Code] | None:
        """Writes the values fed in place of an iterator's element; [] if one is drawn.

        If only a part of an element is fed, the rest is drawn, as TF1 did. None, with a
        refusal, if more than one part is not fed.

        Args:
          needed: names that the step reads, but for those that are its parameters.
        """
        drawn = {n for n in needed if n in self._inputs.elements}
        given = {n for n in feed if n in self._inputs.elements}
        if not drawn or not given & self._find_parts(drawn):
            return []
        iterator, flow = self._inputs.elements[next(iter(drawn))]
        assert isinstance(flow.statement, ast.Assign)
        target = flow.statement.targets[0]
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        names_ = [names.find_key(part) or "" for part in parts]
        rest = [index for index, name in enumerate(names_) if name not in given]
        plain = all(isinstance(part, ast.Name) for part in parts)
        if len(rest) > 1 or rest and not plain:
            self._diagnostics.refuse(
                "S107",
                call,
                "this run feeds only a part of an iterator's element",
                "Feed the whole element. Or use a placeholder in place of what is fed.",
            )
            return None
        return [
            make_code(feed[name])
            if name in given
            else make_code(f"{iterator}.get_next()[{index}]")
            for index, name in enumerate(names_)
        ]

    def _find_parts(self, drawn: set[str]) -> set[str]:
        """Returns all parts of the elements of which some parts are drawn."""
        flows = {self._inputs.elements[name][1] for name in drawn}
        return {n for n, (_, flow) in self._inputs.elements.items() if flow in flows}

    def find_given_names(
        self, needed: frozenset[str], feed: dict[str, ast.expr]
    ) -> tuple[str, ...]:
        """Returns fed tensors, and fed parts of elements that need no other part.

        Args:
          needed: names that the step reads.
        """
        elements = self._inputs.elements
        drawn = {n for n in needed if n in elements}
        apart = {n for n in drawn if n in feed}
        if not drawn <= set(feed):
            apart = set()
        whole = self._find_parts(apart) <= set(feed)
        return tuple(
            name
            for name in feed
            if name in needed
            and name not in self._analysis.placeholders
            and (name not in elements or name in apart and not whole)
        )

    def check_computed(self, feed: dict[str, ast.expr], why: str) -> None:
        """Refuses values whose computation does something, where none is computed."""
        for value in feed.values():
            if has_effect(value, self._scopes):
                self._diagnostics.refuse(
                    "S104",
                    value,
                    why,
                    "Compute it in a statement before.",
                )

    def list_arguments(
        self,
        call: ast.Call,
        needed: frozenset[str],
        feed: dict[str, ast.expr],
        flows: Sequence[Flow],
    ) -> list[str] | None:
        """The placeholders a step takes; None, with a refusal, if one is not fed.

        Args:
          needed: names that the step reads.
          flows: what the step computes, in order.
        """
        feeds: list[str] = []
        for name, placeholder in self._analysis.placeholders.items():
            if name not in needed:
                continue
            if name not in feed and placeholder.default is None:
                reason, recipe = self._explain_missing(name, flows)
                self._diagnostics.refuse("S111", call, reason, recipe)
                return None
            if name in feed:
                feeds.append(name)
        for name, value in feed.items():
            if name not in needed:
                self.check_computed(
                    {name: value},
                    f"this run does not need `{name}`, so the migrated program "
                    "would not compute what is fed to it",
                )
        return feeds

    def _explain_missing(self, name: str, flows: Sequence[Flow]) -> tuple[str, str]:
        """Explains why a placeholder has to be fed, and what to do."""
        recipe = f"Feed it in this call: `{{{name}: value}}`."
        above = self._find_branch(name)
        if above is not None:
            return (
                f"the program makes the placeholder `{name}` only under `if "
                f"{ast.unparse(above.test)}:`, and this call does not feed it. A "
                "step function takes it in both cases",
                "Remove the branch that the program does not run. Or make the "
                "placeholder before the branch, by tf.placeholder_with_default.",
            )
        reached = {name}
        for flow in flows:
            statement = flow.statement
            if flow.suites or not flow.reads & reached:
                continue
            if not self._is_one_tensor(statement):
                shown = ast.unparse(statement).splitlines()[0]
                if self._makes_pairs(statement):
                    return (
                        f"this call does not feed the placeholder `{name}`, but the "
                        f"gradients in the pairs of `{shown}` need it. The tool "
                        "computes both parts of a pair, even if a run takes only "
                        "the variables",
                        "Take the variables from tf.trainable_variables(), and not "
                        "from the pairs.",
                    )
                return (
                    f"this call does not feed the placeholder `{name}`, but "
                    f"`{shown}` may read it, and makes something that is fetched",
                    f"{recipe} If the fetched tensor does not depend on the "
                    "placeholder, compute the tensor in a statement of its own.",
                )
            reached |= flow.binds
        return (
            f"the fetches need the placeholder `{name}`, but this call does not feed it"
        ), recipe

    @staticmethod
    def _makes_pairs(statement: ast.stmt) -> bool:
        """Whether a statement makes pairs of a gradient and its variable."""
        call = getattr(statement, "value", None)
        return (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "compute_gradients"
        )

    def _find_branch(self, name: str) -> ast.If | None:
        """Finds the `if` that alone decides whether a placeholder is made."""
        made = [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Assign)
            and any(names.find_key(target) == name for target in node.targets)
        ]
        above = self._scopes.parents.get(made[0]) if len(made) == 1 else None
        while above is not None and not isinstance(above, (ast.If, ast.FunctionDef)):
            above = self._scopes.parents.get(above)
        if isinstance(above, ast.If) and "__name__" not in names.find_reads(above.test):
            return above
        return None

    def _is_one_tensor(self, statement: ast.stmt) -> bool:
        """Whether a statement is seen to make one tensor, of the values that it reads."""
        if not isinstance(statement, ast.Assign):
            return False
        return isinstance(statement.targets[0], ast.Name) and not any(
            isinstance(
                node, (ast.Attribute, ast.Subscript, ast.List, ast.Tuple, ast.Dict)
            )
            and self._scopes.resolve(node) is None
            if not isinstance(node, ast.Call)
            else (self._scopes.resolve(node.func) or "tf.shape") in _OF_SHAPES
            for node in walk_breadth_first(statement.value)
        )
