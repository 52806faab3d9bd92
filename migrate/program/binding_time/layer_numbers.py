"""Gives the layers of a program that have no name the names that TF1 numbered.

Most layers have one name for good. A layer in a loop, or in a function that is called
again, has another name in each round or call: it is numbered where the program makes it.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re

from migrate.facts import names
from migrate.facts.scopes import Scopes

MODULE = "layer_names"
_SCOPE = "tf.variable_scope"


@dataclasses.dataclass
class LayerNumbers:
    """The layers of a program that have no name.

    Args:
      scopes: of the file.

    Attributes:
      late: base names that are numbered where the layers are made: `dense`, `conv2d`.
      sites: by base name, the outermost loop, or the call, that makes such layers.
      looped: base names that are numbered in a loop.
      fixed: the names of layers that are the same in each call of their function.
    """

    scopes: Scopes
    late: set[str] = dataclasses.field(default_factory=set)
    sites: dict[str, set[ast.AST]] = dataclasses.field(default_factory=dict)
    looped: set[str] = dataclasses.field(default_factory=set)
    fixed: dict[ast.Call, str] = dataclasses.field(default_factory=dict)

    def is_late(self, base: str) -> bool:
        """Whether layers are numbered where they are made.

        Keras numbers the layers of one loop as TF1 did, but it has one count for all scopes.
        """
        return base in self.late or (base in self.looped and len(self.sites[base]) > 1)

    def find_late(self) -> list[str]:
        """Returns all base names that are numbered where the layers are made."""
        return sorted(filter(self.is_late, self.sites))

    def counts_otherwise(self, base: str) -> bool:
        """Whether Keras's numbers of layers differ from TF1's."""
        return base in self.sites or not self._counted_by_keras

    @functools.cached_property
    def _counted_by_keras(self) -> bool:
        """Whether Keras's one count for all scopes gives TF1's numbers."""
        uses = (symbol for _, symbol in self.scopes.walk_uses())
        return not any(s == _SCOPE or s.startswith("tf.keras.") for s in uses)

    def write_argument(self, base: str, name: str | None, target: str) -> str:
        """The argument `name` of a layer; none if Keras names it as TF1 did.

        Args:
          target: the layer's class.
        """
        if self.is_late(base):
            kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", target.rpartition(".")[2])
            if self._counted_by_keras and kind.lower() == base:
                return ""
            return f'name={MODULE}.number("{base}")'
        return f'name="{name}"' if name is not None else ""

    def find_named_alike(self) -> tuple[ast.Call, str] | None:
        """Returns a layer or scope whose own name looks like one of the numbered names."""
        numbered = "|".join(map(re.escape, self.find_late()))
        for call in self.scopes.walk():
            if not numbered or not isinstance(call, ast.Call):
                continue
            name = names.read_literal(names.find_argument(call, "name"))
            if self.scopes.resolve(call.func) == _SCOPE:
                name = names.read_literal(names.find_argument(call, "name_or_scope", 0))
            if isinstance(name, str) and re.fullmatch(rf"({numbered})(_\d+)?", name):
                return call, name
        return None
