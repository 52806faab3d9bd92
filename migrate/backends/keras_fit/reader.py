"""Reads the uses of Estimators of Keras models in a migrated program."""

from __future__ import annotations

import ast
import sys

from migrate.backends.keras_fit.flows import find_parameter, find_targets, is_caught
from migrate.backends.keras_fit.hooks import find_given_logging
from migrate.backends.keras_fit.names import is_none
from migrate.backends.keras_fit.program import (
    Maker,
    Program,
    Run,
    Source,
    Stays,
    Trained,
)
from migrate.facts import names
from migrate.facts.definitions import find_definition
from migrate.facts.scopes import Scope, Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_fit as table
from migrate.tables import modes

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SPECS = ("estimator_loop.TrainSpec", "estimator_loop.EvalSpec")


def find_emitted_name(scopes: Scopes, node: ast.AST) -> str:
    """Returns the name of an emitted module, or of something in it; "" for anything else."""
    return scopes.import_path(node).lstrip(".")


def read(scopes: Scopes) -> Program:
    """Reads the program.

    Raises:
      Stays: something in it is not known to be the same with `fit`.
    """
    return _Reader(scopes).run()


class _Reader:
    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._program = Program(scopes)
        self._known: set[ast.AST] = set()  # Emitted names with a counterpart.

    def run(self) -> Program:
        for node in self._scopes.walk():
            if (
                isinstance(node, ast.Call)
                and self._find_name(node.func) == table.ESTIMATOR
            ):
                self._add(self._read_source(node))
        for one in self._program.trained:
            self._check_alike(one)
            self._read_uses(one)
        self._read_handed()
        self._check_rest()
        return self._program

    def _find_name(self, node: ast.AST) -> str:
        return find_emitted_name(self._scopes, node)

    def _find_scope(self, node: ast.AST) -> Scope:
        """Returns the function's or module's scope around a node."""
        scope = self._scopes.find_scope(node)
        while isinstance(scope.node, _COMPREHENSIONS) and scope.parent is not None:
            scope = scope.parent
        return scope

    def _find_parent(self, node: ast.AST) -> ast.AST:
        return self._scopes.parents[node]

    # -- what is made ------------------------------------------------------------------

    def _read_source(self, call: ast.Call) -> Source:
        given = self._read_arguments(call, table.ESTIMATOR)
        config = self._read_config(given.get("config"))
        model_dir = given.get("model_dir") or config.get("model_dir")
        return Source(
            call,
            self._read_maker(given["model"]),
            None if is_none(model_dir) else model_dir,
            given.get("params"),
            config,
        )

    def _add(self, source: Source) -> None:
        """Adds an Estimator to the others of the name that it gets."""
        for name, statement in find_targets(source.call, self._scopes):
            self._add_name(source, name, statement)

    def _add_name(self, source: Source, name: str, statement: ast.stmt) -> None:
        scope = self._scopes.find_scope(statement).find_owner(name)
        if isinstance(statement, ast.FunctionDef):
            scope = self._scopes.scope_by_node[statement]
        if scope is None or not self._is_bound_so(scope, name, statement):
            raise Stays(source.call, f"`{name}` is also assigned something else")
        for one in self._program.trained:
            if (one.scope, one.name, one.statement) == (scope, name, statement):
                one.sources.append(source)
                return
        self._program.trained.append(Trained(name, scope, statement, [source]))

    def _is_bound_so(self, scope: Scope, name: str, statement: ast.stmt) -> bool:
        """Whether a name has only this binding, or several assignments after each other."""
        bound = scope.bindings[name]
        if isinstance(statement, ast.FunctionDef):
            return len(bound) == 1
        return bound == [statement] or all(isinstance(b, ast.Assign) for b in bound)

    def _check_alike(self, one: Trained) -> None:
        """Checks that Estimators with one name have one configuration."""
        first, *rest = one.sources
        if one.is_given and not all(
            {k: ast.dump(v) for k, v in first.config.items()}
            == {k: ast.dump(v) for k, v in other.config.items()}
            for other in rest
        ):
            raise Stays(
                first.call, f"`{one.name}` may be one of several different Estimators"
            )
        if isinstance(one.statement, ast.FunctionDef):
            if len(self._find_calls(one.statement)) != len(one.sources):
                name = one.statement.name
                raise Stays(first.call, f"`{name}` is also assigned something else")
        if one.is_given:
            self._check_config(one)
        if one.is_given and any(s.model_dir is None for s in one.sources):
            raise Stays(first.call, "its model_dir is a temporary directory")

    def _check_config(self, one: Trained) -> None:
        """Checks that names in the configuration are known where the model is trained."""
        for value in one.first.config.values():
            for node in walk_breadth_first(value):
                if isinstance(node, ast.Name):
                    owner = self._scopes.find_scope(node).find_owner(node.id)
                    if owner not in (None, self._scopes.module, one.scope):
                        raise Stays(value, "another function makes its RunConfig")

    def _read_arguments(self, call: ast.Call, name: str) -> dict[str, ast.expr]:
        """Returns the arguments of an emitted function's call, without those that are None."""
        self._known.add(call.func)
        found = names.bind_arguments(call, table.PARAMETERS[name])
        if found is None:
            raise Stays(call, "a call takes `*args` or `**kwargs`")
        for key, value in found.items():
            if (name, key) in table.UNSAID and not is_none(value):
                raise Stays(value, table.UNSAID[name, key])
        # A number of steps that is None differs from the default.
        return {k: v for k, v in found.items() if k == "steps" or not is_none(v)}

    def _find_value(self, node: ast.expr) -> ast.expr:
        """Returns the value of a name that is bound once, and read only here."""
        if not isinstance(node, ast.Name):
            return node
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        match bound:
            case [ast.Assign(targets=[ast.Name()]) as statement]:
                pass
            case _:
                raise Stays(node, f"the tool cannot tell the value of `{node.id}`")
        for other in self._find_reads(owner, node.id):
            if other is not node and not self._is_configuration(other):
                raise Stays(other, f"other code uses `{node.id}` too")
        self._program.dropped.add(statement)
        return statement.value

    def _is_configuration(self, node: ast.Name) -> bool:
        """Whether a name is an argument of an Estimator, or of train_and_evaluate."""
        outer = self._find_parent(node)
        if isinstance(outer, ast.keyword):
            outer = self._find_parent(outer)
        return isinstance(outer, ast.Call) and self._find_name(outer.func) in (
            table.ESTIMATOR,
            table.TRAIN_AND_EVALUATE,
        )

    def _find_reads(self, owner: Scope | None, name: str) -> list[ast.Name]:
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(name) is owner
        ]

    def _read_config(self, node: ast.expr | None) -> dict[str, ast.expr]:
        if node is None:
            return {}
        call = self._find_value(node)
        if not isinstance(call, ast.Call):
            raise Stays(node, "the tool cannot tell which RunConfig it has")
        if isinstance(call.func, ast.Attribute) and call.func.attr == "replace":
            found = self._replace_in_config(call, call.func)
        elif self._find_name(call.func) == table.RUN_CONFIG:
            self._known.add(call.func)
            found = self._bind_config(call)
        else:
            raise Stays(node, "the tool cannot tell which RunConfig it has")
        for key, value in found.items():
            if key in table.UNSAID_CONFIG and not is_none(value):
                raise Stays(value, table.UNSAID_CONFIG[key])
        steps, secs = (found.get(f"save_checkpoints_{u}") for u in ("steps", "secs"))
        if is_none(steps) and is_none(secs) and (steps or secs):
            raise Stays(call, "its RunConfig saves no checkpoints")
        return found

    def _bind_config(self, call: ast.Call) -> dict[str, ast.expr]:
        found = names.bind_arguments(call, table.PARAMETERS[table.RUN_CONFIG])
        if found is None:
            raise Stays(call, "a call takes `*args` or `**kwargs`")
        return found

    def _replace_in_config(
        self, call: ast.Call, method: ast.Attribute
    ) -> dict[str, ast.expr]:
        """Reads `RunConfig(...).replace(...)`; steps replace seconds, and the reverse."""
        if call.args:
            raise Stays(call, "a call takes `*args` or `**kwargs`")
        found, new = self._read_config(method.value), self._bind_config(call)
        counted = [key for key in new if key.startswith("save_checkpoints_")]
        if len(counted) == 1:
            for unit in ("steps", "secs"):
                found.pop(f"save_checkpoints_{unit}", None)
        return {**found, **new}

    def _read_maker(self, node: ast.expr) -> Maker:
        """Reads the call that makes the model."""
        keywords: tuple[ast.keyword, ...] = ()
        positional: tuple[ast.expr, ...] = ()
        function = node
        match node:
            case ast.Call(args=[first, *rest]) if (
                self._scopes.import_path(node.func) == "functools.partial"
            ):
                function, positional = first, tuple(rest)
                keywords = tuple(node.keywords)
        class_ = find_definition(function, self._scopes)
        if not isinstance(class_, ast.ClassDef):
            raise Stays(node, "its model is not made by a class of this file")
        init = next(
            (
                s
                for s in class_.body
                if isinstance(s, ast.FunctionDef) and s.name == "__init__"
            ),
            None,
        )
        if init is None or init.args.vararg or init.args.kwarg:
            raise Stays(node, "the tool cannot tell the arguments of its model apart")
        given = {keyword.arg for keyword in keywords}
        left = init.args.args[1 + len(positional) :]
        parameters = [a.arg for a in left if a.arg not in given]
        if "config" in parameters:
            raise Stays(node, "its model reads the RunConfig")
        first_ = [name for name in parameters if name != "params"][:1]
        return Maker(
            class_, function, keywords, positional, bool(first_), "params" in parameters
        )

    # -- what is done ------------------------------------------------------------------

    def _read_uses(self, one: Trained) -> None:
        for node in self._find_own_reads(one):
            if self._find_scope(node) is not one.scope:
                raise Stays(node, f"a function reads the global variable `{one.name}`")
            parent = self._find_parent(node)
            if isinstance(parent, ast.Attribute):
                self._read_attribute(one, parent)
            else:
                self._read_argument(one, node)
        if not any(run.kind in table.RUNS for run in one.runs):
            raise Stays(
                one.first.call, "the function that makes it does not train or use it"
            )
        for run in one.runs:
            if run.kind in table.TRAININGS and is_caught(run.call, self._scopes):
                raise Stays(run.call, table.CAUGHT)

    def _find_own_reads(self, one: Trained) -> list[ast.Name]:
        """Returns reads of a name while it stands for these Estimators."""
        reads = self._find_reads(one.scope, one.name)
        bound = [
            b
            for b in one.scope.bindings[one.name]
            if isinstance(b, (ast.Assign, ast.For))
        ]
        if len(bound) < 2:
            return reads
        later = [b.lineno for b in bound if b.lineno > one.statement.lineno]
        end = min(later, default=sys.maxsize)
        own = [n for n in reads if one.statement.lineno < n.lineno < end]
        around = set(walk_breadth_first(self._find_parent(one.statement)))
        for node in own:
            if node not in around:
                raise Stays(
                    node, f"the tool cannot tell which Estimator `{one.name}` is here"
                )
        return own

    def _read_handed(self) -> None:
        """Reads functions that get models and do not train them."""
        found: dict[tuple[ast.FunctionDef, str], list[Trained]] = {}
        for one in self._program.trained:
            for node in one.handed:
                given = found.setdefault(find_parameter(node, self._scopes), [])
                if one not in given:
                    given.append(one)
        for (function, parameter), every in found.items():
            self._read_asked(function, parameter, every)

    def _find_calls(self, function: ast.FunctionDef) -> list[ast.Name]:
        """Returns the names that stand for a function."""
        scope = self._scopes.find_scope(function).find_owner(function.name)
        return self._find_reads(scope, function.name)

    def _read_asked(
        self, function: ast.FunctionDef, parameter: str, given: list[Trained]
    ) -> None:
        scope = self._scopes.scope_by_node[function]
        handed = sum(len(one.handed) for one in given)
        if (
            len(self._find_calls(function)) != handed
            or len(scope.bindings[parameter]) != 1
        ):
            raise Stays(
                function, f"`{function.name}` is also called with something else"
            )
        asked = Trained(
            parameter, scope, function, [s for o in given for s in o.sources]
        )
        for node in self._find_reads(scope, parameter):
            outer = self._find_parent(node)
            if self._find_scope(node) is not scope or not isinstance(
                outer, ast.Attribute
            ):
                raise Stays(node, f"`{parameter}` is passed to another function")
            self._read_attribute(asked, outer)
        for run in asked.runs:
            if run.kind not in table.ASKS:
                raise Stays(
                    run.call, f"`{function.name}` trains the Estimator that it takes"
                )
        self._program.asked.append(asked)

    def _read_attribute(self, one: Trained, node: ast.Attribute) -> None:
        call = self._find_parent(node)
        if node.attr == "model_dir" and isinstance(node.ctx, ast.Load):
            one.attributes.append(node)
            return
        if not isinstance(call, ast.Call) or call.func is not node:
            raise Stays(node, f"the program reads `{node.attr}` of an Estimator")
        parameters = table.METHODS.get(node.attr)
        if parameters is None:
            raise Stays(node, f"the program calls `{node.attr}` of an Estimator")
        found = names.bind_arguments(call, parameters)
        if found is None:
            raise Stays(call, "a call takes `*args` or `**kwargs`")
        found = {key: value for key, value in found.items() if not is_none(value)}
        for key, value in found.items():
            if (node.attr, key) in table.UNSAID:
                raise Stays(value, table.UNSAID[node.attr, key])
        one.runs.append(Run(node.attr, call, self._find_statement(call), found))

    def _read_argument(self, one: Trained, node: ast.Name) -> None:
        call = self._find_parent(node)
        if isinstance(call, ast.keyword):
            call = self._find_parent(call)
        if not isinstance(call, ast.Call):
            raise Stays(node, f"`{one.name}` is also stored somewhere else")
        if self._find_name(call.func) != table.TRAIN_AND_EVALUATE:
            find_parameter(node, self._scopes)
            one.handed.append(node)
            return
        given = self._read_arguments(call, table.TRAIN_AND_EVALUATE)
        specs = []
        for name, key in zip(_SPECS, ("train_spec", "eval_spec")):
            spec = self._find_value(given[key])
            if not isinstance(spec, ast.Call) or self._find_name(spec.func) != name:
                raise Stays(given[key], f"the tool cannot tell its `{key}`")
            specs.append(self._read_arguments(spec, name))
        one.runs.append(
            Run("train_and_evaluate", call, self._find_statement(call), given, *specs)
        )

    def _find_statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self._find_parent(node)
        return node

    def _is_exported(self) -> bool:
        """Whether the program exports a model."""
        runs = [
            run
            for one in (*self._program.trained, *self._program.asked)
            for run in one.runs
        ]
        return any(r.kind in table.EXPORTS or "exporters" in r.evaluation for r in runs)

    def _is_asked_once(self, use: ast.AST, own: set[ast.AST]) -> bool:
        """Whether a function reads the step only for calls in a model's `__init__`."""
        function = self._scopes.find_scope(use).node
        if not isinstance(function, ast.FunctionDef):
            return False
        for name in self._find_calls(function):
            scope = self._scopes.find_scope(name).node
            if name in own:
                if getattr(scope, "name", "") != "__init__":
                    return False
            elif not self._is_asked_once(name, own):
                return False
        return bool(self._find_calls(function))

    def _is_export(self, node: ast.AST) -> bool:
        """Whether a node is in the method that describes the export."""
        while node is not None and not isinstance(node, ast.FunctionDef):
            node = self._scopes.parents.get(node)  # type: ignore[assignment]
        return isinstance(node, ast.FunctionDef) and node.name == "export_outputs"

    # -- what else there is ------------------------------------------------------------

    def _check_rest(self) -> None:
        """Refuses all other uses of Estimators, or of a graph."""
        own = {
            node
            for one in self._program.trained
            for source in one.sources
            for node in walk_breadth_first(source.maker.class_)
        }
        given = find_given_logging(self._program.trained, self._scopes)
        for use, symbol in self._scopes.walk_uses():
            if symbol in table.GRAPH_STATE and use not in own:
                if symbol not in table.STEPS or not self._is_asked_once(use, own):
                    raise Stays(use, "a function reads the graph's collections")
        for node in self._scopes.walk():
            if not isinstance(node, (ast.Attribute, ast.Name)) or node in self._known:
                continue
            if isinstance(self._find_parent(node), ast.Attribute):
                continue  # A part of a longer name.
            name = self._find_name(node)
            module, _, rest = name.partition(".")
            if module not in table.OF_ESTIMATORS or not rest:
                continue
            if name == "estimator_loop.Estimator":
                raise Stays(node, "another Estimator of the file keeps its model_fn")
            if name in table.STRATEGIES:
                continue
            if name in table.STAYING:
                self._program.renamed[node] = table.STAYING[name]
                continue
            if f"tf.estimator.{rest}" in modes.MODES:
                self._program.renamed[node] = modes.MODES[f"tf.estimator.{rest}"]
                continue
            if name == table.LOGGING and (node in own or node in given):
                continue
            if node in own and self._is_export(node) and not self._is_exported():
                continue
            if module == "keras_estimator" and name != table.ESTIMATOR:
                continue
            raise Stays(node, f"no callback does the same as `{rest}`")
