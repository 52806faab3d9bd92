"""Plans the edits that replace methods of Estimators by those of Keras."""

from __future__ import annotations

import ast

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras_fit.base import M, Model, split_hooks, write_list
from migrate.backends.keras_fit.hooks import plan_logging, split_waiting
from migrate.backends.keras_fit.making import Making
from migrate.backends.keras_fit.moments import check_moments
from migrate.backends.keras_fit.names import is_none
from migrate.backends.keras_fit.places import find_place
from migrate.backends.keras_fit.program import Program, Run, Stays, Trained
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, join_code, make_code
from migrate.tables import keras_fit as table

_CREATOR = "tf_keras.utils.experimental.DatasetCreator"


def plan_fit(program: Program, original: str) -> tuple[Plan, frozenset[str]]:
    """Returns the plan, and the names of functions that it writes.

    Args:
      original: the text that was migrated.

    Raises:
      Stays: something is not known to be the same with `fit`.
    """
    return _Runs(program, original).run()


class _Runs(Making):
    def run(self) -> tuple[Plan, frozenset[str]]:
        for one in self._program.trained:
            for source in one.sources:
                self._plan_class(source.maker.class_)
        plan_logging(self._program.trained, self._scopes, self._plan)
        for one in self._program.trained:
            self._plan_trained(one)
        for one in self._program.asked:
            class_ = self._classes[one.first.maker.class_]
            directory = make_code(f"{one.name}.model_dir")
            self._plan_uses(Model(one, class_, one.name, one.name, directory))
        for statement in self._program.dropped:
            self._new[statement] = [Dropped(statement)]
        for statement in {**self._before, **self._new}:
            own = self._new.get(statement, [Keep(statement)])
            before = self._before.get(statement, [])
            self._plan.statements[statement] = [*before, *own]
        for node, name in self._program.renamed.items():
            self._plan.replace(node, make_code(name))
        modules = (M, "tf_keras", table.INPUTS, table.EXPORTED)
        self._plan.imports += [f"import {name}" for name in modules]
        return self._plan, frozenset(self._written)

    def _plan_trained(self, one: Trained) -> None:
        runs = [run for run in one.runs if run.kind in table.RUNS]
        runs.sort(key=lambda run: (run.call.lineno, run.call.col_offset))
        place = find_place(one, runs, self._scopes)
        check_moments(one, runs, place, self._scopes)
        model = self._plan_given(one, place) if one.is_given else self._plan_model(one)
        if model.strategy:
            self._make_in_scope(model, place, runs)
        else:
            self._make(model, place, runs)
        self._plan_uses(model)

    def _plan_uses(self, model: Model) -> None:
        """Plans the edits for all uses of a model."""
        for run in model.one.runs:
            self._plan_run(model, run)
        for attribute in model.one.attributes:
            self._plan.replace(attribute, model.directory)
        for name in model.one.handed:
            if name.id != model.asked:
                self._plan.replace(name, make_code(model.asked))

    def _plan_run(self, model: Model, run: Run) -> None:
        directory, call = model.directory, run.call
        if run.kind == "train":
            self._plan_training(model, run)
        elif run.kind == "train_and_evaluate":
            self._plan_train_and_evaluate(model, run)
        elif run.kind == "evaluate":
            self._plan_evaluation(model, run)
        elif run.kind == "predict":
            data = self._write_dataset(model.one, run.given["input_fn"], "predict")
            arguments: list[Argument] = [
                ("", self._write_asked(model, run)),
                ("", data),
            ]
            if "predict_keys" in run.given:
                arguments.append(("keys", run.given["predict_keys"]))
            new = laid_out(f"{M}.predictions", arguments, call.col_offset)
            self._plan.replace(call, new)
        elif run.kind in table.EXPORTS:
            arguments = [
                ("", self._write_asked(model, run)),
                ("", run.given["export_dir_base"]),
                ("", run.given["serving_input_receiver_fn"]),
            ]
            new = laid_out(f"{M}.export_saved_model", arguments, call.col_offset)
            self._plan.replace(call, new)
        elif run.kind == "get_variable_names":
            found = make_code(f"{self._tf}.train.list_variables(", directory, ")")
            self._plan.replace(call, make_code("[name for name, _ in ", found, "]"))
        elif run.kind == "get_variable_value":
            loaded = make_code(directory, ", ", run.given["name"], ")")
            self._plan.replace(
                call, make_code(f"{self._tf}.train.load_variable(", loaded)
            )
        elif run.kind == "latest_checkpoint":
            latest = f"{self._tf}.train.latest_checkpoint("
            self._plan.replace(call, make_code(latest, directory, ")"))

    # -- training ----------------------------------------------------------------------

    def _plan_training(self, model: Model, run: Run) -> None:
        statement, given = run.statement, run.given
        if not isinstance(statement, ast.Expr) or statement.value is not run.call:
            raise Stays(run.call, "the program uses what `train` returns")
        callbacks = self._write_callbacks(model, given.get("hooks"), run)
        self._new[statement] = self._plan_fit(model, run, given, callbacks)

    def _plan_fit(
        self, model: Model, run: Run, given: dict[str, ast.expr], callbacks: list[Code]
    ) -> list[Item]:
        """Plans the training: `fit`, if there are steps left."""
        one, items, left = model.one, list[Item](), ""
        steps: ast.expr | str | None = given.get("steps")
        max_steps = given.get("max_steps")
        if max_steps is not None:
            steps = left = self._names.find_free("steps", one.scope)
            counted = make_code(
                f"{M}.steps_left(", model.directory, ", ", max_steps, ")"
            )
            items.append(New(make_code(f"{left} = ", counted), run.statement))
        inner: list[Item] = []
        data: Code | str
        if not model.strategy:
            data, model.dataset = model.dataset, ""
            data = data or self._write_dataset(one, given["input_fn"], "train")
        elif steps is not None and self._are_known(given):
            read = self._write_dataset(one, given["input_fn"], "train")
            data = make_code(f"{_CREATOR}(lambda context: ", read, ")")
        else:
            if self._is_written(one):
                raise Stays(run.call, table.UNCOUNTED)
            data = self._names.find_free("dataset", one.scope)
            function = self._inputs.write_function(
                given["input_fn"], "train", one.first.params
            )
            whole = make_code(f"{M}.whole_input({model.strategy}, ", function)
            if steps is not None:
                whole = make_code(whole, ", ", steps)
            whole = make_code(whole, ")")
            steps = left or self._names.find_free("steps", one.scope)
            inner.append(New(make_code(f"{data}, {steps} = ", whole)))
        fit: list[Argument] = [("", data)]
        if steps is not None:
            fit.append(("steps_per_epoch", steps))
        fit += [("verbose", "0"), ("callbacks", write_list(callbacks, broken=True))]
        made = laid_out(f"{model.name}.fit", fit, run.statement.col_offset)
        origin = None if items or inner else run.statement
        inner.append(New(made, origin))
        if not left:
            return [*items, *inner]
        return [*items, Block(make_code(f"if {left} != 0:"), inner)]

    def _are_known(self, given: dict[str, ast.expr]) -> bool:
        """Whether the number of steps is surely not None."""
        return all(
            self._names.is_number(given[name])
            for name in ("steps", "max_steps")
            if name in given
        )

    def _write_callbacks(
        self, model: Model, hooks: ast.expr | None, run: Run, evaluation: str = ""
    ) -> list[Code]:
        config = model.one.first.config
        given: list[Argument] = [("", model.directory)]
        if evaluation:
            given.append(("evaluation", evaluation))
        if (steps := config.get("save_summary_steps")) is not None:
            given.append(("log_steps", steps))
        if (kept := config.get("keep_checkpoint_max")) is not None:
            given.append(("keep", kept))
        steps, secs = (config.get(f"save_checkpoints_{u}") for u in ("steps", "secs"))
        if steps is not None and not is_none(steps):
            given.append(("every_steps", steps))
        elif secs is not None:
            given.append(("every_secs", secs))
        column = run.statement.col_offset + 8
        made = laid_out(f"{M}.Training", given, column, hang=" " * 12)
        told = [make_code(f"*{model.name}.{name}()") for name in model.class_.hooks]
        if not self._is_by_cluster(model.one):
            return [made, *split_hooks(hooks), *told]
        waiting, own = split_waiting(hooks, self._scopes)
        told = [*own, *told]
        if told:
            waiting.append(make_code(f"{M}.EachStep(", join_code(", ", told), ")"))
        return [made, *waiting]

    def _plan_train_and_evaluate(self, model: Model, run: Run) -> None:
        one, train, judged = model.one, run.training, run.evaluation
        evaluation = self._names.find_free("evaluation", one.scope)
        function = self._inputs.write_function(
            judged["input_fn"], "evaluate", one.first.params
        )
        arguments: list[Argument] = [
            ("", model.asked),
            ("", model.directory),
            ("", function),
        ]
        arguments += [
            (name, judged[name])
            for name in ("steps", "throttle_secs", "name", "exporters")
            if name in judged
        ]
        if "exporters" in judged and "max_steps" in train:
            arguments.append(("max_steps", train["max_steps"]))
        statement = run.statement
        returned = (
            not isinstance(statement, ast.Expr) or statement.value is not run.call
        )
        kind = (
            "EvaluationAndExport" if "exporters" in judged or returned else "Evaluation"
        )
        column = run.statement.col_offset + len(evaluation) + 3
        made = laid_out(f"{M}.{kind}", arguments, column)
        items: list[Item] = [New(make_code(f"{evaluation} = ", made), run.statement)]
        callbacks = self._write_callbacks(model, train.get("hooks"), run, evaluation)
        items += self._plan_fit(model, run, train, callbacks)
        if returned:
            self._plan.replace(run.call, make_code(f"{evaluation}.results"))
            items.append(Keep(statement))
        self._new[statement] = items

    # -- evaluation --------------------------------------------------------------------

    def _plan_evaluation(self, model: Model, run: Run) -> None:
        given, column = run.given, run.statement.col_offset
        data = self._write_dataset(model.one, given["input_fn"], "evaluate")
        arguments: list[Argument] = [("", data)]
        if "steps" in given:
            arguments.append(("steps", given["steps"]))
        told = [self._write_evaluated(model, given.get("name"))]
        told += split_hooks(given.get("hooks"))
        if model.class_.judges:
            told.append(make_code(f"*{model.asked}.evaluation_hooks()"))
        arguments += [
            ("verbose", "0"),
            ("return_dict", "True"),
            ("callbacks", write_list(told)),
        ]
        new = make_code(
            self._write_asked(model, run), laid_out(".evaluate", arguments, column)
        )
        if not isinstance(self._scopes.parents[run.call], ast.Expr):
            new = make_code(f"{M}.with_step({model.asked}, ", new, ")")
        self._plan.replace(run.call, new)
