"""What using a name of another file changes there."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class ImportedState:
    """State behind a name that a file imports of another one of its tree.

    Attributes:
      changes: what a call of the function or class changes; "" for nothing.
      state: of an object, as in `migrate.program.worker_state`: "active" where any use
        may change it, "passive" where a use says so, "" where none can.
      made: the state of what a call of the function or class gives, likewise.
      is_module: whether it is the module itself.
      is_class: whether it is a class.
    """

    changes: str = ""
    state: str = ""
    made: str = ""
    is_module: bool = False
    is_class: bool = False
