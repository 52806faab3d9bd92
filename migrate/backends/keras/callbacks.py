"""Hooks as callbacks of Keras."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.facts.names import is_bare_constant
from migrate.findings import Finding, Outcome
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.callbacks import (
    Callback,
    Logged,
    Made,
    Named,
    Several,
    StaysHook,
    Step,
    Value,
)
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table

Claimed = dict[ast.AST, tuple[str, str]]
_CLASS = ("K130", "now a callback of Keras, which the Estimator and `fit` call")
_GONE = ("K130", "the values of a step are in logs, its number is the optimizer's")
_STOP = "self.model.stop_training = True"


def plan_callbacks(callbacks: Iterable[Callback], plan: Plan) -> Claimed:
    """Plans the classes; gives what is claimed, as node -> (code, reason)."""
    claimed: Claimed = {}
    for callback in callbacks:
        _Class(callback, plan, claimed).run()
        plan.imports.append("import tf_keras")
    return claimed


def plan_made(objects: Iterable[Made], plan: Plan) -> list[Finding]:
    """Plans what callbacks of other files are given; a finding for each."""
    told = []
    for made in objects:
        for node, name in made.names.items():
            plan.replace(node, make_code(f'"{name}"'))
        given = " it is given the names of tensors" if made.names else ""
        told.append(
            Finding(
                made.call.lineno,
                made.call.col_offset + 1,
                "K130",
                Outcome.REWRITTEN,
                "",
                f"{made.name} is a callback of Keras now{given and ';'}{given}",
            )
        )
    return told


def report_staying_hooks(hooks: Iterable[StaysHook]) -> list[Finding]:
    """A finding for each class that stays a hook."""
    return [
        Finding(
            getattr(hook.class_, "lineno", 1),
            getattr(hook.class_, "col_offset", 0) + 1,
            "K131",
            Outcome.KEPT,
            "",
            f"{hook.name} stays a hook: {_spell_place(hook)}{hook.reason}",
        )
        for hook in hooks
    ]


def _spell_place(hook: StaysHook) -> str:
    own = getattr(hook.class_, "lineno", 1)
    line = getattr(hook.node, "lineno", own)
    return f"line {line}: " if line != own else ""


class _Class:
    """Writes one class."""

    def __init__(self, callback: Callback, plan: Plan, claimed: Claimed) -> None:
        self._callback, self._plan, self._claimed = callback, plan, claimed

    def run(self) -> None:
        callback, plan = self._callback, self._plan
        plan.replace(callback.base, make_code(table.BASE))
        self._claimed[callback.base] = _CLASS
        for step in callback.steps:
            plan.replace(step, make_code(table.STEP))
        for node, value in callback.values.items():
            plan.replace(node, _write_value(value))
        for comparison, asked in callback.asked.items():
            negation = "not " if asked.negated else ""
            plan.replace(comparison, make_code(negation, asked.attribute))
        for node, name in callback.names.items():
            plan.replace(node, make_code(f'"{name}"'))
        for part in (
            *callback.gone,
            *callback.returns,
            *callback.steps,
            *callback.values,
            *callback.asked,
        ):
            for inner in walk_breadth_first(part):
                self._claimed.setdefault(inner, _GONE)
        plan.suites[callback.class_, "body"] = list(self._write_body())

    def _write_body(self) -> Iterator[Item]:
        methods = self._callback.methods
        moments = {
            methods[name]: moment
            for moment, (names, _) in table.MOMENTS.items()
            for name in names
            if name in methods
        }
        written: set[str] = set()
        for statement in self._callback.class_.body:
            moment = moments.get(statement)  # type: ignore[call-overload]
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                yield self._write_init(statement)
            elif moment is None:
                yield Keep(statement)
            elif moment in written:
                yield Dropped(statement)
            else:
                written.add(moment)
                assert isinstance(statement, ast.FunctionDef)
                yield from self._write_moment(moment, statement)

    def _write_init(self, method: ast.FunctionDef) -> Keep:
        if self._callback.initialised:
            return Keep(method)
        items: list[Item] = [Keep(s) for s in method.body]
        at = 1 if is_bare_constant(method.body[0]) else 0
        items.insert(at, New(make_code("super().__init__()")))
        return Keep(method, {"body": items})

    def _write_moment(self, moment: str, first: ast.FunctionDef) -> Iterator[Item]:
        names, parameters = table.MOMENTS[moment]
        methods = self._callback.methods
        items: list[Item] = []
        for name in names:
            if name in methods:
                items += [self._write_statement(s) for s in methods[name].body]
        if not any(_does_something(item) for item in items):
            yield Dropped(first)
            return
        modes = self._callback.modes
        header = f"def on_{modes[0]}_{moment}(self, {parameters}):"
        yield Block(make_code(header), items, first)
        for mode in modes[1:]:
            alias = f"\non_{mode}_{moment} = on_{modes[0]}_{moment}"
            yield New(make_code(alias))

    def _write_statement(self, statement: ast.stmt) -> Item:
        item = self._replace_statement(statement)
        if item is not None:
            return item
        for inner in walk_breadth_first(statement):
            if isinstance(inner, ast.stmt) and inner is not statement:
                item = self._replace_statement(inner)
                if item is not None:
                    self._plan.statements[inner] = [item]
        return Keep(statement)

    def _replace_statement(self, statement: ast.stmt) -> Item | None:
        callback = self._callback
        if statement in callback.gone:
            return Dropped(statement)
        if statement in callback.stops:
            return New(make_code(_STOP), statement)
        if statement in callback.returns:
            return New(make_code("return"), statement)
        return None


def _does_something(item: Item) -> bool:
    if isinstance(item, Keep):
        statement = item.statement
        return not (isinstance(statement, ast.Pass) or is_bare_constant(statement))
    return not isinstance(item, Dropped)


def _write_value(value: Value) -> Code:
    """The expression of a value."""
    if isinstance(value, Step):
        return make_code(value.held or table.STEP, ".numpy()")
    if isinstance(value, Several):
        return make_code(
            "[", join_code(", ", [_write_value(v) for v in value.items]), "]"
        )
    if isinstance(value, Named):
        pairs = [make_code(key, ": ", _write_value(item)) for key, item in value.items]
        return make_code("{", join_code(", ", pairs), "}")
    return _write_logged_value(value)


def _write_logged_value(value: Logged) -> Code:
    if isinstance(value.name, str):
        return make_code(f'logs["{value.name}"]')
    if value.key is not None:
        return make_code("logs[", value.name, "[", value.key, "]]")
    if value.names == "dict":
        return make_code("{key: logs[name] for key, name in ", value.name, ".items()}")
    if value.names == "list":
        return make_code("[logs[name] for name in ", value.name, "]")
    return make_code("logs[", value.name, "]")
