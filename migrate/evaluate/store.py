"""Stores all that can change during an evaluation: cells by address, with a journal.

Values are immutable, so that a fork costs only what is changed in it. The journal has
each cell's old contents: a fork is evaluated, its changes are taken off as a `Delta`,
and the other side begins from where the first one began.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

Delta = dict[Hashable, Any]


class _Missing:
    """No contents: the cell does not exist."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


class Store:
    """Cells; a key is an address, or an address with the name of a part of it."""

    def __init__(self) -> None:
        self._cells: dict[Hashable, Any] = {}
        self._journal: list[tuple[Hashable, Any]] = []
        self._next = 1

    def allocate(self) -> int:
        """Returns a fresh address, which no fork has used before."""
        self._next += 1
        return self._next

    def get(self, key: Hashable, default: Any = MISSING) -> Any:
        return self._cells.get(key, default)

    def set(self, key: Hashable, contents: Any) -> None:
        old = self._cells.get(key, MISSING)
        if old is contents:
            return
        self._journal.append((key, old))
        if contents is MISSING:
            self._cells.pop(key, None)
        else:
            self._cells[key] = contents

    def replace(self, old: Any, new: Any) -> None:
        """Replaces a value by another in every cell and every tuple that has it."""
        for key, contents in list(self._cells.items()):
            if contents == old and type(contents) is type(old):
                self.set(key, new)
            elif isinstance(contents, tuple) and old in contents:
                self.set(key, tuple(new if v == old else v for v in contents))

    def list_items(self) -> list[tuple[Hashable, Any]]:
        """All cells."""
        return list(self._cells.items())

    def list_values(self) -> list[Any]:
        """Contents of all cells."""
        return list(self._cells.values())

    def list_keys(self, address: int) -> list[str]:
        """The names that a module has."""
        return [k[1] for k in self._cells if isinstance(k, tuple) and k[0] == address]

    def mark(self) -> int:
        """A point that `take_off` and `find_changed_cells` count from."""
        return len(self._journal)

    def find_changed_cells(self, mark: int) -> dict[Hashable, Any]:
        """Finds the cells set after a mark, with their contents at the mark."""
        found: dict[Hashable, Any] = {}
        for key, old in self._journal[mark:]:
            found.setdefault(key, old)
        return found

    def take_off(self, mark: int) -> Delta:
        """Undoes the changes since a mark, and returns them."""
        delta = {key: self._cells.get(key, MISSING) for key, _ in self._journal[mark:]}
        for key, old in reversed(self._journal[mark:]):
            if old is MISSING:
                self._cells.pop(key, None)
            else:
                self._cells[key] = old
        del self._journal[mark:]
        return delta

    def put_on(self, delta: Delta) -> None:
        """Makes the changes of a delta again."""
        for key, contents in delta.items():
            self.set(key, contents)
