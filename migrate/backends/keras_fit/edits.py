"""The edits that make Estimators models, and their methods those of Keras."""

from __future__ import annotations

import ast
import dataclasses

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import call as laid_out
from migrate.backends.keras_fit.classes import ModelClass, plan_class
from migrate.backends.keras_fit.compiled import (
    Compiled,
    draws_by_seed,
    find_compiled,
    takes_one_tensor,
    write_function,
)
from migrate.backends.keras_fit.inputs import Inputs
from migrate.backends.keras_fit.names import Names, is_none
from migrate.backends.keras_fit.places import find_place, find_sample
from migrate.backends.keras_fit.program import Program, Run, Stays, Trained
from migrate.backends.keras_fit.strategies import make_strategy
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, code, joined
from migrate.tables import keras_fit as table

_M = table.MODULE
_CREATOR = "tf_keras.utils.experimental.DatasetCreator"


@dataclasses.dataclass(eq=False)
class _Model:
    """What stands for an Estimator.

    Attributes:
      name: of the model that is trained.
      asked: of what is evaluated and predicts; a copy where a strategy trains.
      directory: where its checkpoints are.
      strategy: the name of the strategy; "" for none.
      dataset: what its first training reads, where that is made before the model.
    """

    one: Trained
    class_: ModelClass
    name: str
    asked: str
    directory: Code
    strategy: str = ""
    dataset: str = ""


def plan_fit(program: Program, original: str) -> tuple[Plan, frozenset[str]]:
    """The plan, and the names of functions that it writes.

    Args:
      original: the text that was migrated.

    Raises:
      Stays: something is not known to be the same with `fit`.
    """
    return _Edits(program, original).run()


class _Edits:
    def __init__(self, program: Program, original: str) -> None:
        self._program, self._scopes = program, program.scopes
        self._original = original
        self._plan = Plan()
        self._inputs = Inputs(program.scopes)
        self._names = Names(program.scopes)
        self._tf = self._names.tf
        self._classes: dict[ast.ClassDef, ModelClass] = {}
        # Classes that `compile` says -> that, and the function that makes the model.
        self._compiled: dict[ast.ClassDef, tuple[Compiled, str]] = {}
        self._knowing: set[ast.ClassDef] = set()  # That keep their directory.
        self._building: set[ast.ClassDef] = set()  # That build their model.
        self._written: set[str] = set()  # Names of functions.
        # What stands before a statement, and instead of one.
        self._before: dict[ast.stmt, list[Item]] = {}
        self._new: dict[ast.stmt, list[Item]] = {}

    def run(self) -> tuple[Plan, frozenset[str]]:
        for one in self._program.trained:
            for source in one.sources:
                self._class(source.maker.class_)
        for one in self._program.trained:
            self._trained(one)
        for one in self._program.asked:
            self._ask(one)
        for statement in self._program.dropped:
            self._new[statement] = [Dropped(statement)]
        for statement in {**self._before, **self._new}:
            own = self._new.get(statement, [Keep(statement)])
            before = self._before.get(statement, [])
            self._plan.statements[statement] = [*before, *own]
        self._plan.imports += [f"import {_M}", "import tf_keras"]
        for node, name in self._program.renamed.items():
            self._plan.replace(node, code(name))
        self._plan.imports += [f"import {table.INPUTS}", f"import {table.EXPORTED}"]
        return self._plan, frozenset(self._written)

    def _class(self, class_: ast.ClassDef) -> None:
        """Plans the class of a model; where `compile` says it, a function makes it."""
        if class_ in self._classes:
            return
        every = [
            one
            for one in self._program.trained
            if any(source.maker.class_ is class_ for source in one.sources)
        ]
        knows = any(one.is_given or one.handed for one in every)
        compiled = find_compiled(class_, self._scopes, self._tf)
        if compiled is not None and not knows and self._is_enough(every):
            name = self._names.function(class_.name, self._original)
            self._compiled[class_] = (compiled, name)
            self._written.add(name)
            self._plan.statements[class_] = [write_function(class_, compiled, name)]
            self._classes[class_] = ModelClass(class_, (), False)
            return
        builds = any(one.is_mixed for one in every) and not any(
            source.maker.features
            for one in every
            for source in one.sources
            if source.maker.class_ is class_
        )
        self._classes[class_] = plan_class(
            class_, self._scopes, self._plan, knows, builds, self._exports(every)
        )
        if knows:
            self._knowing.add(class_)
        if builds:
            self._building.add(class_)

    def _exports(self, every: list[Trained]) -> bool:
        """Whether some Estimators, or models that functions are given, are exported."""
        runs = [run for one in (*every, *self._program.asked) for run in one.runs]
        return any(
            run.kind in table.EXPORTS or "exporters" in run.evaluation for run in runs
        )

    def _is_enough(self, every: list[Trained]) -> bool:
        """Whether nobody sees what Keras's own steps give otherwise.

        Their loss in evaluation is a mean over examples, not batches; what they return in
        training is a mean over the steps so far.
        """
        for run in (run for one in every for run in one.runs):
            given = {**run.given, **run.training}
            if {"hooks", "exporters"} & {*given, *run.evaluation}:
                return False
            if run.kind == "predict" or run.kind in table.EXPORTS:
                return False
            judged = run.evaluation or (run.given if run.kind == "evaluate" else {})
            if judged and not self._inputs.has_equal_batches(judged["input_fn"]):
                return False
        return True

    def _trained(self, one: Trained) -> None:
        runs = [run for run in one.runs if run.kind in table.RUNS]
        place = find_place(one, runs, self._scopes)
        model = self._given(one) if one.is_given else self._model(one, runs)
        if model.strategy:
            self._make_in_scope(model, place, runs)
        else:
            self._make(model, place, runs)
        self._done(model)

    def _done(self, model: _Model) -> None:
        """What is done with a model."""
        for run in model.one.runs:
            self._run(model, run)
        for attribute in model.one.attributes:
            self._plan.replace(attribute, model.directory)
        for name in model.one.handed:
            if name.id != model.asked:
                self._plan.replace(name, code(model.asked))

    def _ask(self, one: Trained) -> None:
        """What a function does with a model that it is given."""
        class_ = self._classes[one.first.maker.class_]
        directory = code(f"{one.name}.model_dir")
        self._done(_Model(one, class_, one.name, one.name, directory))

    def _given(self, one: Trained) -> _Model:
        """The model of a loop, or a function, that is given what makes it."""
        name = self._names.model(one)
        for source in one.sources:
            maker = source.maker
            given: list[Argument] = [("", maker.function)]
            given += [("", value) for value in maker.positional]
            given += [(k.arg or "", k.value) for k in maker.given]
            if maker.params:
                given.append(("params", source.params or code("{}")))
            assert source.model_dir is not None
            given.append(("model_dir", source.model_dir))
            column = source.call.col_offset
            new = laid_out("functools.partial", given, column)
            self._plan.replace(source.call, new)
        self._plan.imports.append("import functools")
        class_ = self._classes[one.first.maker.class_]
        return _Model(one, class_, name, name, code(f"{name}.model_dir"))

    def _model(self, one: Trained, runs: list[Run]) -> _Model:
        """Names of what stands for an Estimator, and what stands where it was made."""
        class_ = self._classes[one.first.maker.class_]
        name = self._names.model(one)
        items: list[Item] = []
        strategy = ""
        if any(run.kind == "train_and_evaluate" for run in runs):
            strategy = self._names.free("strategy", one.scope)
            self._write_strategy(one)
            made = code(f"{strategy} = make_strategy()")
            items.append(New(made, one.statement))
        directory = one.first.model_dir
        if directory is None or not self._names.is_plain(directory):
            variable = self._names.free("model_dir", one.scope)
            made = code(directory) if directory is not None else self._temporary()
            origin = one.statement if not items else None
            items.append(New(code(f"{variable} = ", made), origin))
            found = code(variable)
        else:
            if not items:
                items.append(Dropped(one.statement))
            found = code(directory)
        self._new[one.statement] = items
        return _Model(one, class_, name, name, found, strategy)

    def _temporary(self) -> Code:
        self._plan.imports.append("import tempfile")
        return code("tempfile.mkdtemp()")

    def _write_strategy(self, one: Trained) -> None:
        top: ast.AST = one.statement
        while not isinstance(self._scopes.parents[top], ast.Module):
            top = self._scopes.parents[top]
        assert isinstance(top, ast.stmt)
        if "make_strategy" in self._scopes.module.bindings:
            raise Stays(one.first.call, "the program has a `make_strategy` of its own")
        if not any(
            isinstance(i, Block) for items in self._before.values() for i in items
        ):
            self._before.setdefault(top, []).insert(0, make_strategy(self._tf))
        self._plan.imports += ["import json", "import os"]
        self._written.add("make_strategy")

    # -- the model ---------------------------------------------------------------------

    def _make(self, model: _Model, place: ast.stmt, runs: list[Run]) -> None:
        """Makes a model before it is first run."""
        one = model.one
        sample = find_sample(runs, place, self._scopes, self._inputs)
        data = self._inputs.dataset(
            sample.given["input_fn"], sample.kind, one.first.params
        )
        items: list[Item] = []
        if sample.statement is place and sample is runs[0] and sample.kind == "train":
            model.dataset = self._names.free("dataset", one.scope)
            items.append(New(code(f"{model.dataset} = ", data)))
            data = code(model.dataset)
        items += [*self._seed(one), *self._made(model, data)]
        restored = code(f"{_M}.restore({model.name}, ", model.directory, ")")
        self._before.setdefault(place, []).extend([*items, New(restored)])

    def _make_in_scope(self, model: _Model, place: ast.stmt, runs: list[Run]) -> None:
        """Makes a model in the scope of a strategy, and a copy of it outside."""
        one = model.one
        sample = find_sample(runs, place, self._scopes, self._inputs)
        given = {**sample.given, **sample.training}
        data = self._inputs.dataset(given["input_fn"], "train", one.first.params)
        maker = self._names.free("make_model", one.scope)
        self._written.add(maker)
        model.asked = self._names.free("evaluated", one.scope)
        body = self._made(model, data, "return ")
        items: list[Item] = [*self._seed(one), Block(code(f"def {maker}():"), body)]
        made = New(code(f"{model.name} = {maker}()"))
        items.append(Block(code(f"with {model.strategy}.scope():"), [made]))
        items.append(New(code(f"{model.asked} = {maker}()")))
        restored = code(f"{_M}.restore({model.name}, ", model.directory, ")")
        self._before.setdefault(place, []).extend([*items, New(restored)])

    def _seed(self, one: Trained) -> list[Item]:
        seed = one.first.config.get("tf_random_seed")
        if seed is None or is_none(seed):
            return []
        return [New(code(f"{self._tf}.random.set_seed(", seed, ")"))]

    def _made(self, model: _Model, data: Code, begin: str = "") -> list[Item]:
        """What makes a model of a dataset's features."""
        one = model.one
        if one.first.maker.class_ in self._compiled:
            return self._made_by_function(model, data, begin)
        inputs = code(f"{_M}.inputs_of(", data, ")")
        given: list[Argument] = []
        maker = one.first.maker
        takes = maker.features or maker.class_ in self._building
        given += [("", value) for value in maker.positional if not one.is_given]
        if takes:
            given.append(("", inputs))
        function = one.name
        if not one.is_given:
            function = ast.unparse(maker.function)
            if maker.params:
                given.append(("params", one.first.params or code("{}")))
            given += [(k.arg or "", k.value) for k in maker.given]
            if maker.class_ in self._knowing:
                given.append(("model_dir", model.directory))
        begin = begin if begin and takes else f"{model.name} = "
        made = laid_out(function, given, 8 + len(begin))
        body: list[Item] = [New(code(begin, made))]
        if not takes:
            body.append(New(code(f"{model.name}(", inputs, ")")))
        block: list[Item] = [Block(code(f"with {_M}.as_in_tf1():"), body)]
        if begin != "return " and model.asked != model.name:
            block.append(New(code(f"return {model.name}")))
        return block

    def _made_by_function(self, model: _Model, data: Code, begin: str) -> list[Item]:
        compiled, function = self._compiled[model.one.first.maker.class_]
        one = model.one
        given = [
            run.given.get("input_fn") or run.training["input_fn"]
            for run in one.runs
            if run.kind in table.RUNS
        ]
        simple = (
            takes_one_tensor(compiled, self._scopes)
            and not draws_by_seed(compiled)
            and all(map(self._inputs.is_float32, given))
        )
        inputs = code(f"{_M}.inputs_of(", data, ")")
        if simple:
            inputs = code("tf_keras.Input(", data, ".element_spec[0].shape[1:])")
        arguments: list[Argument] = [("", inputs)]
        if one.first.maker.params:
            arguments.append(("params", one.first.params or code("{}")))
        arguments += [(k.arg or "", k.value) for k in one.first.maker.given]
        begin = begin or f"{model.name} = "
        made: Item = New(code(begin, laid_out(function, arguments, 8 + len(begin))))
        return [made] if simple else [Block(code(f"with {_M}.as_in_tf1():"), [made])]

    # -- what is done with it ----------------------------------------------------------

    def _run(self, model: _Model, run: Run) -> None:
        directory, call = model.directory, run.call
        if run.kind == "train":
            self._train(model, run)
        elif run.kind == "train_and_evaluate":
            self._train_and_evaluate(model, run)
        elif run.kind == "evaluate":
            self._evaluate(model, run)
        elif run.kind == "predict":
            given = run.given["input_fn"]
            data = self._inputs.dataset(given, "predict", model.one.first.params)
            arguments: list[Argument] = [("", model.asked), ("", data)]
            new = laid_out(f"{_M}.predictions", arguments, call.col_offset)
            self._plan.replace(call, new)
        elif run.kind in table.EXPORTS:
            given = run.given["serving_input_receiver_fn"]
            arguments = [
                ("", model.asked),
                ("", run.given["export_dir_base"]),
                ("", given),
            ]
            new = laid_out(f"{_M}.export_saved_model", arguments, call.col_offset)
            self._plan.replace(call, new)
        elif run.kind == "get_variable_names":
            listed = code(f"{self._tf}.train.list_variables(", directory, ")")
            self._plan.replace(call, code("[name for name, _ in ", listed, "]"))
        elif run.kind == "get_variable_value":
            loaded = code(directory, ", ", run.given["name"], ")")
            self._plan.replace(call, code(f"{self._tf}.train.load_variable(", loaded))
        elif run.kind == "latest_checkpoint":
            latest = f"{self._tf}.train.latest_checkpoint("
            self._plan.replace(call, code(latest, directory, ")"))

    def _train(self, model: _Model, run: Run) -> None:
        statement = run.statement
        if not isinstance(statement, ast.Expr) or statement.value is not run.call:
            raise Stays(run.call, "what `train` returns is used")
        if model.strategy:
            raise Stays(run.call, "it is trained in two ways")
        given = run.given
        data: Code | str = model.dataset
        if model.dataset:
            model.dataset = ""  # It is read.
        else:
            one = model.one
            data = self._inputs.dataset(given["input_fn"], "train", one.first.params)
        callbacks = self._callbacks(model, given.get("hooks"), statement.col_offset + 8)
        self._new[statement] = self._fit(
            model, run, data, given.get("steps"), given.get("max_steps"), callbacks
        )

    def _fit(
        self,
        model: _Model,
        run: Run,
        data: Code | str,
        steps: ast.expr | None,
        max_steps: ast.expr | None,
        callbacks: list[Code],
    ) -> list[Item]:
        arguments: list[Argument] = [("", data)]
        items: list[Item] = []
        left = ""
        if steps is not None:
            arguments.append(("steps_per_epoch", steps))
        if max_steps is not None:
            left = self._names.free("steps", model.one.scope)
            counted = code(f"{_M}.steps_left({model.name}, ", max_steps, ")")
            items.append(New(code(f"{left} = ", counted), run.statement))
            arguments.append(("steps_per_epoch", left))
        arguments.append(("verbose", "0"))
        column = run.statement.col_offset + (2 if left else 0)
        arguments.append(("callbacks", _listed(callbacks, column)))
        fit = laid_out(f"{model.name}.fit", arguments, column)
        if not left:
            return [New(fit, run.statement)]
        return [*items, Block(code(f"if {left} != 0:"), [New(fit)])]

    def _callbacks(
        self,
        model: _Model,
        hooks: ast.expr | None,
        column: int,
        after_save: str = "",
    ) -> list[Code]:
        config = model.one.first.config
        saving: list[Argument] = [("", model.directory)]
        steps, secs = (config.get(f"save_checkpoints_{u}") for u in ("steps", "secs"))
        if steps is not None and not is_none(steps):
            saving.append(("save_steps", steps))
        else:
            saving.append(("save_secs", secs if secs is not None else "600"))
        if (kept := config.get("keep_checkpoint_max")) is not None:
            saving.append(("keep", kept))
        if after_save:
            saving.append(("after_save", after_save))
        saves = laid_out(f"{_M}.Checkpoints", saving, column, hang=" " * 12)
        found = [saves, self._progress(model)]
        found += _elements(hooks)
        return [*found, *(code(f"*{model.name}.{n}()") for n in model.class_.hooks)]

    def _progress(self, model: _Model, name: ast.expr | None = None) -> Code:
        given: list[Argument] = [("", model.directory)]
        steps = model.one.first.config.get("save_summary_steps")
        if name is not None:
            given.append(("name", name))
        elif steps is not None:
            given.append(("every_steps", steps))
        return laid_out(f"{_M}.Progress", given, 0)

    def _evaluate(self, model: _Model, run: Run) -> None:
        given, one = run.given, model.one
        data = self._inputs.dataset(given["input_fn"], "evaluate", one.first.params)
        arguments: list[Argument] = [("", data)]
        if "steps" in given:
            arguments.append(("steps", given["steps"]))
        told = [self._progress(model, given.get("name"))]
        told += _elements(given.get("hooks"))
        if model.class_.judges:
            told.append(code(f"*{model.asked}.evaluation_hooks()"))
        arguments += [
            ("verbose", "0"),
            ("return_dict", "True"),
            ("callbacks", _listed(told, run.statement.col_offset)),
        ]
        column = run.statement.col_offset
        new = laid_out(f"{model.asked}.evaluate", arguments, column)
        if not isinstance(self._scopes.parents[run.call], ast.Expr):
            new = code(f"{_M}.with_step({model.asked}, ", new, ")")
        self._plan.replace(run.call, new)

    def _train_and_evaluate(self, model: _Model, run: Run) -> None:
        one, train, judged = model.one, run.training, run.evaluation
        evaluation = self._names.free("evaluation", one.scope)
        function = self._inputs.function(
            judged["input_fn"], "evaluate", one.first.params
        )
        arguments: list[Argument] = [
            ("", model.asked),
            ("", model.directory),
            ("", function),
        ]
        steps = judged.get("steps")
        if steps is None or not is_none(steps):
            arguments.append(("steps", steps or "100"))
        arguments += [
            (name, judged[name])
            for name in ("throttle_secs", "name", "exporters")
            if name in judged
        ]
        if "exporters" in judged and "max_steps" in train:
            arguments.append(("max_steps", train["max_steps"]))
        column = run.statement.col_offset
        kind = "EvaluationAndExport" if "exporters" in judged else "Evaluation"
        made = laid_out(f"{_M}.{kind}", arguments, column + len(evaluation) + 3)
        items: list[Item] = [New(code(f"{evaluation} = ", made), run.statement)]
        callbacks = self._callbacks(model, train.get("hooks"), column + 8, evaluation)
        max_steps = train.get("max_steps")
        if max_steps is not None and self._names.is_number(max_steps):
            read = self._inputs.dataset(train["input_fn"], "train", one.first.params)
            data = code(f"{_CREATOR}(lambda context: ", read, ")")
            items += self._fit(model, run, data, None, max_steps, callbacks)
        else:
            items += self._fit_to_the_end(model, run, callbacks)
        items += self._results(model, run, evaluation)
        self._new[run.statement] = items

    def _fit_to_the_end(
        self, model: _Model, run: Run, callbacks: list[Code]
    ) -> list[Item]:
        """A training whose input may end it."""
        one, train = model.one, run.training
        data, steps = (self._names.free(n, one.scope) for n in ("dataset", "steps"))
        function = self._inputs.function(train["input_fn"], "train", one.first.params)
        if "max_steps" in train:
            raise Stays(
                train["max_steps"], "it is not known whether `max_steps` is None"
            )
        whole = code(f"{_M}.whole_input({model.strategy}, ", function, ")")
        arguments: list[Argument] = [("", data), ("steps_per_epoch", steps)]
        arguments.append(("verbose", "0"))
        column = run.statement.col_offset
        arguments.append(("callbacks", _listed(callbacks, column)))
        fit = laid_out(f"{model.name}.fit", arguments, column)
        return [New(code(f"{data}, {steps} = ", whole)), New(fit)]

    def _results(self, model: _Model, run: Run, evaluation: str) -> list[Item]:
        """What train_and_evaluate gave; and the copy as it was saved last."""
        items: list[Item] = []
        later = [other for other in model.one.runs if other.kind in table.ASKS]
        if later:
            restored = code(f"{_M}.restore({model.asked}, ", model.directory, ")")
            items.append(New(restored))
        statement = run.statement
        if isinstance(statement, ast.Expr) and statement.value is run.call:
            return items
        self._plan.replace(run.call, code(f"{evaluation}.results"))
        return [*items, Keep(statement)]


def _elements(hooks: ast.expr | None) -> list[Code]:
    """Hooks as elements of a list."""
    if hooks is None:
        return []
    if isinstance(hooks, (ast.List, ast.Tuple)):
        return [code(element) for element in hooks.elts]
    return [code("*", hooks)]


def _listed(parts: list[Code], column: int) -> Code:
    """A list, one part a line where there are several."""
    if len(parts) == 1:
        return code("[", parts[0], "]")
    return code("[\n        ", joined(",\n        ", parts), "]")
