"""Writes out the lists of variables that a program asks its replicas for.

    replicas.trainable_in("generator")        [w1, b1]

In a step with a tape it may also be what the tape has watched, chosen by name.
"""

from __future__ import annotations

import re

from migrate.backends.direct_steps.made_variables import Made, NotKnown, read_block
from migrate.backends.direct_steps.program import Listing, Program

_TRAINABLE = frozenset({"trainable_variables", "trainable_in"})


class VariableLists:
    """The lists of variables of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._scopes = program.scopes
        self._made: Made | None = None

    def write(self, listing: Listing) -> str:
        """Writes a list of the variables that exist where it is asked for.

        Raises:
          NotKnown: they are not known, or have no names there.
        """
        made = self._read()
        (block,) = self._program.blocks
        home = self._scopes.find_scope(block).node
        scope = self._scopes.find_scope(listing.node.value)
        inside = scope.node is home
        if not inside and not any(scope.node is step for step in self._program.steps):
            raise NotKnown
        if inside and listing.node.lineno > (block.end_lineno or 0):
            inside = False  # All of them exist.
        found = [
            variable
            for variable in made.order
            if (variable.trained or listing.node.attr not in _TRAINABLE)
            and re.match(listing.scope, f"{variable.tf_name}:0")
            and not (inside and variable.line > listing.node.lineno)
        ]
        return "[" + ", ".join(variable.spelled for variable in found) + "]"

    def _read(self) -> Made:
        if self._made is None:
            if len(self._program.blocks) != 1:
                raise NotKnown
            made = read_block(self._program, self._program.blocks[0])
            slots = any(made.optimizers.values())
            asked = any(
                listing.node.attr not in _TRAINABLE
                for listing in self._program.listings
            )
            hidden = slots or made.unnamed
            if made.layers or made.networks or not made.all_told or (hidden and asked):
                raise NotKnown
            self._check_bindings(made)
            self._made = made
        return self._made

    def _check_bindings(self, made: Made) -> None:
        """Checks that each name stands for its variable, or its group, all along."""
        scope = self._scopes.find_scope(self._program.blocks[0])
        for name in (*made.variables, *made.groups):
            owner = scope.find_owner(name)
            if owner is None or len(owner.bindings[name]) != 1:
                raise NotKnown


def write_choice(listing: Listing, tape: str) -> str:
    """Writes the list of those variables that a tape has watched.

    Raises:
      NotKnown: the choice is no beginning of names.
    """
    if listing.scope != re.escape(listing.scope).replace("\\/", "/"):
        raise NotKnown
    watched = f"{tape}.watched_variables()"
    if not listing.scope:
        return watched
    return f"[v for v in {watched} if v.name.startswith({listing.scope!r})]"
