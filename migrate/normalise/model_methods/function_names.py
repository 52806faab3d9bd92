"""Names of the functions that methods become, and of what they are given."""

from __future__ import annotations

import ast
import re

from migrate.facts.objects import Unsettled
from migrate.frontends.model_fn.signature import name_class
from migrate.normalise.model_methods.needed_methods import Taking
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Names of a model_fn's own arguments, and of a Keras model's steps.
_RESERVED = frozenset(
    {"features", "labels", "mode", "params", "config", "self", "data", "tape"}
    | {"inputs", "training", "gradients", "scaled_loss"}
)
_GENERIC = frozenset({"model_fn", "model", "fn", "model_function", "get_model_fn"})


class Naming(Taking):
    """Chooses names that nothing else has."""

    def _find_taken_names(self) -> set[str]:
        """Names that the module has anywhere."""
        found = set(self._scopes.module.bindings)
        for node in self._scopes.walk():
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if not isinstance(self._scopes.parents.get(node), ast.ClassDef):
                    found.add(node.name)
        return found

    def _name_functions(self, taken: set[str]) -> dict[str, str]:
        """The name of each function."""
        of = _spell_in_snake_case(self._owner.name)
        found: dict[str, str] = {}
        for name in self._methods:
            plain = name.strip("_")
            choices = [name, f"{of}_{plain}"]
            if name == self._site.node.attr and not self._site.makes:
                whole = f"{of}_fn" if of.endswith("_model") else f"{of}_model_fn"
                choices = [plain, whole, f"{of}_{plain}", f"keras_{whole}"]
                if plain in _GENERIC:
                    choices = [whole, plain, *choices[2:]]
                choices = [c for c in choices if name_class(c) not in taken]
            free = [c for c in choices if c not in taken and c not in found.values()]
            if not free:
                raise Unsettled(self._methods[name].node, f"the name {name} is taken")
            found[name] = free[0]
        return found

    def _name_values(
        self, needed: dict[str, list[str]], functions: dict[str, str]
    ) -> dict[str, str]:
        """The parameter for each attribute."""
        of = _spell_in_snake_case(self._owner.name)
        used = {
            n.id if isinstance(n, ast.Name) else n.arg
            for method in self._methods.values()
            for n in walk_breadth_first(method.node)
            if isinstance(n, (ast.Name, ast.arg))
        }
        used |= _RESERVED | table.TAKEN | set(functions.values())
        found: dict[str, str] = {}
        for attribute in dict.fromkeys(a for one in needed.values() for a in one):
            plain = attribute.strip("_").lower()
            choices = [plain, f"{plain}_value", f"{of}_{plain}"]
            if plain in _RESERVED:
                choices = choices[::-1]
            free = [
                c
                for c in choices
                if c.isidentifier() and c not in used and c not in found.values()
            ]
            if not free:
                raise Unsettled(self._owner, f"the name {attribute} is taken")
            found[attribute] = free[0]
        return found


def _spell_in_snake_case(name: str) -> str:
    return _WORD.sub("_", name).lower().strip("_")
