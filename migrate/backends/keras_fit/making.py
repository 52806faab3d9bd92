"""Plans the edits that make models where Estimators were made, or before their runs."""

from __future__ import annotations

import ast

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras_fit.base import Edits, M, Model
from migrate.backends.keras_fit.classes import (
    SCOPE,
    ModelClass,
    Wanted,
    find_taught_features,
    plan_class,
)
from migrate.backends.keras_fit.compiled import (
    draws_by_seed,
    find_compiled,
    takes_one_tensor,
    write_function,
)
from migrate.backends.keras_fit.hooks import find_asked_names
from migrate.backends.keras_fit.moments import check_called_again
from migrate.backends.keras_fit.names import is_none
from migrate.backends.keras_fit.places import find_sample
from migrate.backends.keras_fit.program import Run, Stays, Trained
from migrate.backends.keras_fit.strategies import write_given_strategy, write_maker
from migrate.plan import Block, Dropped, Item, New
from migrate.program.code import Code, make_code
from migrate.tables import keras_fit as table

_NONE = ast.Constant(None)


class Making(Edits):
    """Plans classes of models, and the places where models are made."""

    # -- classes -----------------------------------------------------------------------

    def _plan_class(self, class_: ast.ClassDef) -> None:
        """Plans the class of a model; if `compile` is enough, a function replaces it."""
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
            name = self._names.name_function(class_.name, self._original)
            self._compiled[class_] = (compiled, name)
            self._written.add(name)
            self._plan.statements[class_] = [write_function(class_, compiled, name)]
            self._classes[class_] = ModelClass(class_, (), False)
            return
        makers = [
            source.maker
            for one in every
            for source in one.sources
            if source.maker.class_ is class_
        ]
        builds = any(one.is_mixed for one in every) and not any(
            maker.features for maker in makers
        )
        if any(maker.features for maker in makers) or builds:
            self._check_features(class_, every)
        wanted = Wanted(
            knows,
            builds,
            self._is_exported(every),
            any(self._has_strategy(one) for one in every),
            find_asked_names(every, self._scopes),
        )
        self._classes[class_] = plan_class(class_, self._scopes, self._plan, wanted)
        self._written.add(SCOPE)
        if knows:
            self._knowing.add(class_)
        if builds:
            self._building.add(class_)

    def _check_features(self, class_: ast.ClassDef, every: list[Trained]) -> None:
        """Refuses a class if `predict` may lack features that only training reads."""
        kinds = {run.kind for one in (*every, *self._program.asked) for run in one.runs}
        if "predict" in kinds or self._is_exported(every):
            if names := find_taught_features(class_):
                name = min(names)
                raise Stays(
                    class_, f"the input of `predict` may lack the feature `{name}`"
                )

    def _is_exported(self, every: list[Trained]) -> bool:
        """Whether some Estimators, or models that functions get, are exported."""
        runs = [run for one in (*every, *self._program.asked) for run in one.runs]
        return any(
            run.kind in table.EXPORTS or "exporters" in run.evaluation for run in runs
        )

    def _is_enough(self, every: list[Trained]) -> bool:
        """Whether nobody sees how the results of Keras's own steps differ.

        Their loss in evaluation is a mean over examples, not batches. Their results in
        training are means over the steps so far.
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

    # -- names -------------------------------------------------------------------------

    def _has_strategy(self, one: Trained) -> bool:
        given = one.first.config.get("train_distribute")
        return not is_none(given) or any(
            run.kind == "train_and_evaluate" for run in one.runs
        )

    def _plan_model(self, one: Trained) -> Model:
        """Plans the names of an Estimator's model, and the items where it was made."""
        class_ = self._classes[one.first.maker.class_]
        name = self._names.name_model(one)
        items: list[Item] = []
        strategy = self._find_own_strategy(one)
        if not strategy and self._has_strategy(one):
            strategy = self._names.find_free("strategy", one.scope)
            made = make_code(f"{strategy} = ", self._write_strategy(one))
            items.append(New(made, one.statement))
        directory = one.first.model_dir
        if (
            directory is None
            or self._names.may_be_none(directory)
            or not self._names.is_plain(directory)
        ):
            variable = self._names.find_free("model_dir", one.scope)
            made = self._write_directory(directory)
            origin = one.statement if not items else None
            items.append(New(make_code(f"{variable} = ", made), origin))
            found = make_code(variable)
        else:
            if not items:
                items.append(Dropped(one.statement))
            found = make_code(directory)
        self._new[one.statement] = items
        return Model(one, class_, name, name, found, strategy)

    def _plan_given(self, one: Trained, place: ast.stmt) -> Model:
        """Plans the model of a loop, or a function, that gets a maker of the model."""
        name = self._names.name_model(one)
        for source in one.sources:
            maker = source.maker
            given: list[Argument] = [("", maker.function)]
            given += [("", value) for value in maker.positional]
            given += [(k.arg or "", k.value) for k in maker.given]
            if maker.params:
                given.append(("params", source.params or make_code("{}")))
            assert source.model_dir is not None
            if self._names.may_be_none(source.model_dir):
                raise Stays(source.call, "its model_dir may be a temporary directory")
            given.append(("model_dir", source.model_dir))
            column = source.call.col_offset
            new = laid_out("functools.partial", given, column)
            self._plan.expressions[source.call] = new
        self._plan.imports.append("import functools")
        class_ = self._classes[one.first.maker.class_]
        model = Model(one, class_, name, name, make_code(f"{name}.model_dir"))
        if self._has_strategy(one):
            model.strategy = self._names.find_free("strategy", one.scope)
            made = make_code(f"{model.strategy} = ", self._write_strategy(one))
            self._before.setdefault(place, []).append(New(made))
        return model

    def _write_directory(self, given: ast.expr | None) -> Code:
        """Writes the directory of checkpoints: a temporary one if none is given."""
        if given is not None and not self._names.may_be_none(given):
            return make_code(given)
        self._plan.imports.append("import tempfile")
        temporary = make_code("tempfile.mkdtemp()")
        return temporary if given is None else make_code(given, " or ", temporary)

    def _is_written(self, one: Trained) -> bool:
        """Whether the program makes its strategy itself, without TF_CONFIG."""
        given = one.first.config.get("train_distribute")
        if given is None or is_none(given):
            return False
        return write_given_strategy(given, self._scopes, self._tf) is not None

    def _is_by_cluster(self, one: Trained) -> bool:
        """Whether TF_CONFIG chooses the strategy."""
        return self._has_strategy(one) and not self._is_written(one)

    def _find_own_strategy(self, one: Trained) -> str:
        """Returns the name that the program's own strategy already has; "" for none."""
        given = one.first.config.get("train_distribute")
        if not isinstance(given, ast.Name) or not self._is_written(one):
            return ""
        owner = self._scopes.find_scope(given).find_owner(given.id)
        return given.id if owner in (one.scope, self._scopes.module) else ""

    def _write_strategy(self, one: Trained) -> Code:
        """Writes the call that makes the strategy."""
        given = one.first.config.get("train_distribute")
        if given is not None and not is_none(given):
            found = write_given_strategy(given, self._scopes, self._tf)
            if found is not None:
                return found
        if "make_strategy" in self._scopes.module.bindings:
            raise Stays(one.first.call, "the program defines another `make_strategy`")
        if "make_strategy" not in self._written:
            top: ast.AST = one.statement
            while not isinstance(self._scopes.parents[top], ast.Module):
                top = self._scopes.parents[top]
            assert isinstance(top, ast.stmt)
            self._before.setdefault(top, []).insert(0, write_maker(self._tf))
            self._plan.imports += ["import json", "import os"]
            self._written.add("make_strategy")
        return make_code("make_strategy()")

    # -- the model ---------------------------------------------------------------------

    def _make(self, model: Model, place: ast.stmt, runs: list[Run]) -> None:
        """Makes a model before it first runs."""
        one = model.one
        sample = find_sample(runs, place, self._scopes, self._inputs)
        data = self._write_dataset(one, sample.given["input_fn"], sample.kind)
        items = self._plan_seed(one)
        if sample.statement is place and sample is runs[0] and sample.kind == "train":
            model.dataset = self._names.find_free("dataset", one.scope)
            items.append(New(make_code(f"{model.dataset} = ", data)))
            data = make_code(model.dataset)
        else:
            check_called_again(sample.given["input_fn"], self._scopes)
        items += self._plan_making(model, data)
        self._before.setdefault(place, []).extend(items)

    def _make_in_scope(self, model: Model, place: ast.stmt, runs: list[Run]) -> None:
        """Makes a model in the scope of a strategy, and a copy of it outside."""
        one = model.one
        sample = find_sample(runs, place, self._scopes, self._inputs)
        given = {**sample.given, **sample.training}
        check_called_again(given["input_fn"], self._scopes)
        data = self._write_dataset(one, given["input_fn"], "train")
        maker = self._names.find_free("make_model", one.scope)
        model.asked = self._names.find_free("evaluated", one.scope)
        self._written.add(maker)
        body = self._plan_making(model, data, "return ")
        items: list[Item] = [
            *self._plan_seed(one),
            Block(make_code(f"def {maker}():"), body),
        ]
        made = New(make_code(f"{model.name} = {maker}()"))
        items.append(Block(make_code(f"with {model.strategy}.scope():"), [made]))
        items.append(New(make_code(f"{model.asked} = {maker}()")))
        self._before.setdefault(place, []).extend(items)

    def _write_dataset(self, one: Trained, input_fn: ast.expr, kind: str) -> Code:
        """Writes the dataset that an input_fn returns."""
        params = one.first.params
        if one.is_given and params is not None:
            self._inputs.params_unseen = True
        try:
            return self._inputs.write_dataset(input_fn, kind, params)
        finally:
            self._inputs.params_unseen = False

    def _plan_seed(self, one: Trained) -> list[Item]:
        seed = one.first.config.get("tf_random_seed")
        if seed is None or is_none(seed):
            return []
        for other in self._program.trained:
            if ast.dump(other.first.config.get("tf_random_seed") or _NONE) != ast.dump(
                seed
            ):
                raise Stays(seed, "another Estimator of the file has a different seed")
        return [New(make_code(f"{self._tf}.random.set_seed(", seed, ")"))]

    def _plan_making(self, model: Model, data: Code, begin: str = "") -> list[Item]:
        """Plans the items that make a model from a dataset's features.

        Args:
          begin: "return ", in a function; otherwise the model gets its name.
        """
        one, maker = model.one, model.one.first.maker
        if maker.class_ in self._compiled:
            return self._plan_call(model, data, begin)
        inputs = make_code(f"{M}.inputs_of(", data, ")")
        given: list[Argument] = []
        takes = maker.features or maker.class_ in self._building
        given += [("", value) for value in maker.positional if not one.is_given]
        if takes:
            given.append(("", inputs))
        function = one.name
        if not one.is_given:
            function = ast.unparse(maker.function)
            if maker.params:
                given.append(("params", one.first.params or make_code("{}")))
            given += [(k.arg or "", k.value) for k in maker.given]
            if maker.class_ in self._knowing:
                given.append(("model_dir", model.directory))
        named = begin if begin and takes else f"{model.name} = "
        made = laid_out(function, given, 8 + len(named))
        body: list[Item] = [New(make_code(named, made))]
        if not takes:
            body.append(New(make_code(f"{model.name}(", inputs, ")")))
        block: list[Item] = [Block(make_code(f"with {M}.as_in_tf1():"), body)]
        if begin and not takes:
            block.append(New(make_code(f"return {model.name}")))
        return block

    def _plan_call(self, model: Model, data: Code, begin: str) -> list[Item]:
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
        inputs = make_code(f"{M}.inputs_of(", data, ")")
        if simple:
            inputs = make_code("tf_keras.Input(", data, ".element_spec[0].shape[1:])")
        arguments: list[Argument] = [("", inputs)]
        if one.first.maker.params:
            arguments.append(("params", one.first.params or make_code("{}")))
        arguments += [(k.arg or "", k.value) for k in one.first.maker.given]
        begin = begin or f"{model.name} = "
        made: Item = New(
            make_code(begin, laid_out(function, arguments, 8 + len(begin)))
        )
        return (
            [made] if simple else [Block(make_code(f"with {M}.as_in_tf1():"), [made])]
        )
