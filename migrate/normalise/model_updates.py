"""TF1 to TF1: an update that a function makes is written where a model_fn calls the function.

And so are metrics that a function of another file makes.

    def create_optimizer(loss, rate):           def model_fn(features, labels, mode, params):
        optimizer = tf.train.AdamOptimizer(         ...
            rate)                                   optimizer = tf.train.AdamOptimizer(
        return optimizer.minimize(                      params["rate"])
            loss, tf.train.get_global_step())       train_op = optimizer.minimize(
                                                        loss, tf.train.get_global_step())
    def model_fn(features, labels, mode, params):
        ...
        train_op = create_optimizer(loss, params["rate"])

The function stays as it is: others may call it. It may be of another file of the tree, where
what it reads of that file can be named from here.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.facts.names import is_bare_constant
from migrate.facts.scopes import Scopes, build_scopes
from migrate.frontends.model_fn.signature import is_model_fn
from migrate.frontends.model_fn.specs import SPECS
from migrate.normalise.calls import update_returns
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.program.keras_files import Source
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import contrib_training

_UPDATES = frozenset({"minimize", "apply_gradients", "optimize_loss"})
# Arguments of EstimatorSpec that such functions give.
_ARGUMENTS = frozenset({"train_op", "eval_metric_ops"})
# Arguments that may replace a parameter: they have the same value at each read.
_PLAIN = (ast.Name, ast.Constant)


@dataclasses.dataclass(frozen=True)
class Written:
    """The text with updates written out.

    Attributes:
      updates: original line of each call -> the function.
      files: other files that these are of.
    """

    text: Text
    updates: Mapping[int, str]
    files: frozenset[str] = frozenset()

    def find_remaining(self, stays: Collection[int]) -> set[int]:
        """Returns the original lines of calls in model_fns that stay nevertheless.

        Args:
          stays: lines at which a model_fn is reported to stay.
        """
        tree, origins = parse_source(self.text.source), self.text.origins
        found: set[int] = set()
        for node in walk_breadth_first(tree):
            if isinstance(node, ast.FunctionDef) and is_model_fn(node):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                inside = {origins[line - 1] for line in lines} & set(self.updates)
                if set(stays) & set(lines) or _is_given(node.name, tree, stays):
                    found |= inside
        return found


def _is_given(name: str, tree: ast.Module, stays: Collection[int]) -> bool:
    """Whether an Estimator at one of the lines `stays` has a function of this name."""
    return any(
        isinstance(node, ast.Call)
        and node.lineno in stays
        and any(
            getattr(n, "id", "") == name or getattr(n, "attr", "") == name
            for n in walk_breadth_first(node)
        )
        for node in walk_breadth_first(tree)
    )


class _Not(Exception):
    """A call that stays: what it does cannot be written where it stands."""


def write_out_updates(
    text: Text,
    left: Collection[int] = (),
    here: Source | None = None,
    others: Sequence[Source] = (),
) -> Written:
    """The text with every such update where it is called.

    Args:
      left: original lines of calls that stay.
      here: the file as it was read, with its imports.
      others: other files whose functions it may call.
    """
    updates: dict[int, str] = {}
    files: set[str] = set()
    stays = set(left)
    while True:
        scopes = build_scopes(parse_source(text.source))
        for statement, call, name in _find_calls(scopes):
            at = text.origins[call.lineno - 1]
            if at in stays:
                continue
            try:
                update = _Update(text, scopes, statement, call, name, here, others)
                new = update.run()
            except _Not:
                stays.add(at)
                continue
            updates[at] = ast.unparse(call.func)
            stays.add(at)
            files |= update.files
            text = new
            break
        else:
            return Written(text, updates, frozenset(files))


def _find_calls(scopes: Scopes) -> Iterator[tuple[ast.stmt, ast.Call, str]]:
    """Calls in functions with a model_fn's parameters, and what their values are called.

    `name = function(...)`, or `name=function(...)` among the arguments of EstimatorSpec.
    """
    for function in scopes.walk():
        if not isinstance(function, ast.FunctionDef):
            continue
        if not is_model_fn(function):
            continue
        for node in names.walk_scope_of_function(function):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target, value = node.targets[0], node.value
                if isinstance(target, ast.Name) and _is_unknown(value, scopes):
                    yield node, value, target.id  # type: ignore[misc]
            if not isinstance(node, (ast.Assign, ast.Return)):
                continue
            spec = node.value
            if isinstance(spec, ast.Call) and scopes.resolve(spec.func) in SPECS:
                for keyword in spec.keywords:
                    if keyword.arg in _ARGUMENTS and _is_unknown(keyword.value, scopes):
                        yield node, keyword.value, keyword.arg  # type: ignore[misc]


def _is_unknown(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it is a call of no function of TensorFlow."""
    return isinstance(node, ast.Call) and scopes.resolve(node.func) is None


class _Update:
    """Writes one of them."""

    def __init__(
        self,
        text: Text,
        scopes: Scopes,
        statement: ast.stmt,
        call: ast.Call,
        name: str,
        here: Source | None,
        others: Sequence[Source],
    ) -> None:
        self._text, self._scopes = text, scopes
        self._statement, self._call, self._name = statement, call, name
        # Whether the statement does nothing but name the call.
        self._whole = getattr(statement, "value", None) is call
        self._here, self._others = here, others
        # Before names of the function's file, where that is another one.
        self._module = ""
        # Whether it is this one.
        self._own = True
        # The file, where it is another one.
        self.files: set[str] = set()

    def run(self) -> Text:
        """Returns the text with the update.

        Raises:
          _Not: it is no update, or not certain to do the same here.
        """
        function, source, theirs = update_returns.move_returns_to_end(
            *self._find_function()
        )
        self._check(function, theirs)
        bound = names.bind_call(self._call, function)
        if bound is None or not self._text.is_alone(self._statement):
            raise _Not
        edits, before = self._find_names(function, theirs, bound)
        lines, origins = self._write_lines(function, source, edits)
        indent = self._indent()
        first = self._statement.lineno
        at = self._text.origins[first - 1]
        new = [indent + line for line in before]
        every = [*[at] * len(new), *(o if o else at for o in origins)]
        if self._whole:
            last = self._statement.end_lineno or first
            return self._text.splice(first, last, [*new, *lines], every)
        text = self._text.apply_edits([Edit(self._call, self._name)])
        return text.splice(first, first - 1, [*new, *lines], every)

    def _find_function(self) -> tuple[ast.FunctionDef, Text, Scopes]:
        """The function that is called, the text of its file, and its scopes."""
        node = self._call.func
        own = self._scopes.find_function(node)
        if own is not None:
            return own, self._text, self._scopes
        if self._here is None:
            raise _Not
        target, member = self._here.imports.get(ast.unparse(node), ("", ""))
        if isinstance(node, ast.Attribute):
            module = ast.unparse(node.value)
            target, nothing = self._here.imports.get(module, ("", ""))
            if not target or nothing:
                raise _Not
            self._module, member = module, node.attr
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or not member:
            raise _Not
        if self._scopes.find_scope(root).find_owner(root.id) is not self._scopes.module:
            raise _Not
        for source in self._others:
            if source.path == target:
                scopes = build_scopes(ast.parse(source.text))
                bound = scopes.module.bindings.get(member, [])
                if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
                    self.files.add(target)
                    self._own = False
                    return bound[0], Text.read_source(source.text), scopes
        raise _Not

    def _check(self, function: ast.FunctionDef, theirs: Scopes) -> None:
        """Checks that it returns only at its end, and makes an update or metrics."""
        body = function.body
        inner = list(names.walk_scope_of_function(function))
        returns = [node for node in inner if isinstance(node, ast.Return)]
        ends = list(update_returns.find_ends(body))
        if set(returns) != set(ends) or any(r.value is None for r in returns):
            raise _Not
        if not ends or update_returns.falls(body):
            raise _Not
        if function.decorator_list or body[0].lineno == function.lineno:
            raise _Not
        bad = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Import)
        nested = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ImportFrom)
        # Places within formatted strings are not certain before Python 3.12.
        # `optimize_loss` calls the functions that it is given at once.
        at_once = {
            given
            for call in walk_breadth_first(function)
            if isinstance(call, ast.Call)
            and theirs.resolve(call.func) in contrib_training.OPTIMIZE_LOSS
            for given in (*call.args, *(k.value for k in call.keywords))
        }
        own = {function, *at_once}
        parts = [node for node in walk_breadth_first(function) if node not in own]
        if any(isinstance(node, (*bad, *nested, ast.JoinedStr)) for node in parts):
            raise _Not
        made = [node for node in inner if isinstance(node, ast.Attribute)]
        if not self._own:
            found = [theirs.resolve(node) or "" for node in made]
            if any(symbol.startswith("tf.metrics.") for symbol in found):
                return
        if not any(node.attr in _UPDATES for node in made):
            raise _Not

    def _find_names(
        self, function: ast.FunctionDef, theirs: Scopes, bound: dict[str, ast.expr]
    ) -> tuple[dict[ast.Name, str], list[str]]:
        """Maps the function's names to names here, and binds its parameters."""
        scope = theirs.scope_by_node[function]
        around = self._scopes.find_scope(self._statement)
        taken = set(around.bindings) | set(self._scopes.module.bindings)
        taken |= find_plain_names(around.node)
        uses = [n for n in walk_breadth_first(function) if isinstance(n, ast.Name)]
        stored = {n.id for n in uses if isinstance(n.ctx, ast.Store)}
        if not self._whole:
            self._name = _find_free_name(self._name, taken)
            taken.add(self._name)
        new: dict[str, str] = {}
        before: list[str] = []
        arguments = [*function.args.args, *function.args.kwonlyargs]
        for argument in arguments:
            name = argument.arg
            value = bound.get(name, _find_default(function, name))
            if value is None:
                raise _Not
            text = (
                self._text.find_segment(value) if name in bound else ast.unparse(value)
            )
            if name not in stored and self._is_plain(value):
                new[name] = text
                continue
            if "\n" in text:
                raise _Not
            new[name] = _find_free_name(name, taken)
            taken.add(new[name])
            before.append(f"{new[name]} = {text}")
        own = {n.id for n in uses if theirs.find_scope(n).find_owner(n.id) is scope}
        for name in sorted((stored & own) - set(new)):
            new[name] = name if name not in taken else _find_free_name(name, taken)
            taken.add(new[name])
        inner = {n.id for n in uses if theirs.find_scope(n) is not scope} & stored
        lambdas = [
            n.args for n in walk_breadth_first(function) if isinstance(n, ast.Lambda)
        ]
        inner |= {
            n.arg
            for a in lambdas
            for n in walk_breadth_first(a)
            if isinstance(n, ast.arg)
        }
        if any(inner & names.find_reads(value) for value in bound.values()):
            raise _Not  # A comprehension's own name would stand for another.
        edits: dict[ast.Name, str] = {}
        for node in uses:
            owner = theirs.find_scope(node).find_owner(node.id)
            if owner is scope:
                edits[node] = new[node.id]
            elif owner is theirs.module:
                edits[node] = self._spell_outer_name(node, theirs, around.bindings)
            elif owner is None and (not hasattr(builtins, node.id) or node.id in taken):
                raise _Not
        return edits, before

    def _is_plain(self, value: ast.expr) -> bool:
        """Whether reading it again gives the same: `rate`, `params["rate"]`, `FLAGS.rate`."""
        while isinstance(value, (ast.Attribute, ast.Subscript)):
            if isinstance(value, ast.Subscript):
                if not isinstance(value.slice, _PLAIN):
                    return False
            value = value.value
        return isinstance(value, _PLAIN)

    def _spell_outer_name(
        self, node: ast.Name, theirs: Scopes, local: Mapping[str, object]
    ) -> str:
        """A name of the function's file, as it is known here."""
        if self._own:
            if node.id in local:
                raise _Not
            return node.id
        there = theirs.module.bindings[node.id]
        if theirs.find_dotted_path(node) == "tensorflow":
            for name in self._scopes.module.bindings:
                known = ast.Name(name, ast.Load())
                if name not in local and self._is_tensorflow(name):
                    return known.id
            raise _Not
        if not self._module or len(there) != 1 or isinstance(there[0], ast.ImportFrom):
            raise _Not
        if isinstance(there[0], ast.Import) or node.id in local:
            raise _Not
        return f"{self._module}.{node.id}"

    def _is_tensorflow(self, name: str) -> bool:
        return any(
            isinstance(bound, ast.Import)
            and any(
                alias.name == "tensorflow" and (alias.asname or alias.name) == name
                for alias in bound.names
            )
            for bound in self._scopes.module.bindings[name]
        )

    def _indent(self) -> str:
        line = self._text.lines[self._statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def _write_lines(
        self, function: ast.FunctionDef, source: Text, edits: Mapping[ast.Name, str]
    ) -> tuple[list[str], list[int]]:
        """The function's statements, as they stand here, and where they are from."""
        body = function.body
        if is_bare_constant(body[0]):
            body = body[1:]
        last = body[-1]
        if not all(source.is_alone(statement) for statement in body):
            raise _Not
        target = self._name
        changed = [Edit(node, new) for node, new in edits.items() if node.id != new]
        edited = source.apply_edits(changed)
        begin, end = body[0].lineno, last.end_lineno or last.lineno
        above = function.body[0].end_lineno if body is not function.body else None
        while begin - 1 > (above or function.body[0].lineno) and (
            source.lines[begin - 2].strip().startswith("#")
        ):
            begin -= 1
        verbatim = set().union(*[find_lines_inside_strings(s) for s in body])
        old = source.lines[body[0].lineno - 1][: body[0].col_offset]
        indent = self._indent()
        lines: list[str] = []
        returns = {r.lineno: r.col_offset for r in update_returns.find_ends(body)}
        for number in range(begin, end + 1):
            line = edited.lines[number - 1]
            if number in returns:
                start = line[: returns[number]] + f"{target} ="
                line = start + line[returns[number] + len("return") :]
            if number not in verbatim:
                if line.strip() and not line.startswith(old):
                    raise _Not
                line = indent + line[len(old) :] if line.strip() else ""
            lines.append(line)
        # The returned value gets its name at the place of the call.
        origins = [
            source.origins[n - 1] if self._own and n < min(returns) else 0
            for n in range(begin, end + 1)
        ]
        return lines, origins


def _find_default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """Returns a parameter's default, if that is a literal."""
    arguments = function.args
    places = [a.arg for a in arguments.args]
    value: ast.expr | None = None
    if name in places:
        place = places.index(name) - len(places)
        if -place <= len(arguments.defaults):
            value = arguments.defaults[place]
    else:
        place = [a.arg for a in arguments.kwonlyargs].index(name)
        value = arguments.kw_defaults[place]
    return value if isinstance(value, ast.Constant) else None


def _find_free_name(name: str, taken: Collection[str]) -> str:
    number = 2
    if name not in taken:
        return name
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
