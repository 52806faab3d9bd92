"""Tensors that a model_fn gives a hook: names under which its step returns them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.frontends.callbacks.reasons import NoCallback
from migrate.program.keras_model import Hooks, KerasModel
from migrate.source.nodes import walk_breadth_first

_TRAINING = ("training_hooks", "training_chief_hooks")


class Given:
    """Finds them in the hooks of the models.

    Attributes:
      names: expressions that are tensors -> their names.
    """

    def __init__(self, models: Iterable[KerasModel]) -> None:
        self._of: dict[ast.AST, tuple[KerasModel, Hooks]] = {}
        for model in models:
            for hooks in model.hooks:
                for node in hooks.nodes:
                    for inner in walk_breadth_first(node):
                        self._of[inner] = (model, hooks)

    def has(self, made: ast.Call) -> bool:
        """Whether a hook is made in a model_fn."""
        return made in self._of

    def find_names(
        self, made: ast.Call, value: ast.expr
    ) -> tuple[str, dict[ast.expr, str]]:
        """Finds the form in which tensors are given, and the tensors' names.

        The form is "list", "dict", or "" for a single tensor.

        Args:
          made: the call that makes the hook.
          value: its argument.

        Raises:
          NoCallback: what is given is no tensor of a training step.
        """
        found = self._of.get(made)
        if found is None or found[1].kind not in _TRAINING:
            raise NoCallback(
                value, "it receives something that is not a tensor of a step"
            )
        model, hooks = found
        if isinstance(value, ast.Name):
            value = self._find_container(value, hooks)
        if isinstance(value, ast.Dict):
            if any(key is None for key in value.keys):
                raise NoCallback(
                    value, "its tensors are not a list or dict that is written out"
                )
            return "dict", {v: _find_name(v, model, hooks) for v in value.values}
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "dict":
            if not value.args and all(k.arg for k in value.keywords):
                given = [k.value for k in value.keywords]
                return "dict", {v: _find_name(v, model, hooks) for v in given}
        if isinstance(value, (ast.List, ast.Tuple)):
            return "list", {v: _find_name(v, model, hooks) for v in value.elts}
        return "", {value: _find_name(value, model, hooks)}

    def _find_container(self, name: ast.Name, hooks: Hooks) -> ast.expr:
        """Returns the dict or list of a name that nothing else reads."""
        for unit in hooks.made:
            statement = unit.statement
            if (
                isinstance(statement, ast.Assign)
                and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id == name.id
            ):
                reads = [
                    node
                    for outer in hooks.nodes
                    for node in walk_breadth_first(outer)
                    if isinstance(node, ast.Name)
                    and node.id == name.id
                    and isinstance(node.ctx, ast.Load)
                ]
                if reads != [name]:
                    raise NoCallback(name, f"other hooks also get `{name.id}`")
                return statement.value
        return name


def _find_name(value: ast.expr, model: KerasModel, hooks: Hooks) -> str:
    loss = model.reported.id if isinstance(model.reported, ast.Name) else "loss"
    if isinstance(value, ast.Name):
        if value.id == loss:
            return "loss"
        if value.id in hooks.watched:
            return value.id
    text = ast.unparse(value)
    raise NoCallback(value, f"it receives `{text}`, which train_step does not return")
