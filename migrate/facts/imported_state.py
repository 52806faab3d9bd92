"""Describes the state of another file that the use of an imported name changes."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class ImportedState:
    """The state behind a name that a file imports from another file of its tree.

    Attributes:
      changes: the state that a call of the function or class changes; "" for none.
      state: of an object, as in `migrate.program.worker_state`: "active" if any use may
        change it, "passive" if the use itself shows a change, "" if no use can.
      made: the state of the object that a call of the function or class returns, likewise.
      is_module: whether the name is the module itself.
      is_class: whether the name is a class.
    """

    changes: str = ""
    state: str = ""
    made: str = ""
    is_module: bool = False
    is_class: bool = False
