"""A hook as a callback of Keras: what each of its statements and values becomes.

The front-end (`migrate.frontends.callbacks`) finds this, the back-end
(`migrate.backends.keras.callbacks`) writes it. Nodes are the user's own.
"""

from __future__ import annotations

import ast
import dataclasses


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """The global step's value.

    Attributes:
      held: an attribute that holds the variable; None where nothing does.
    """

    held: ast.expr | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Logged:
    """What the step returns under a name.

    Attributes:
      name: the name; or an attribute that holds it.
      names: how that attribute holds several: "", "list" or "dict".
      key: which of them is meant; None for all.
    """

    name: str | ast.expr
    names: str = ""
    key: ast.expr | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Several:
    """A list or tuple of values."""

    items: tuple[Value, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Named:
    """A dict of values."""

    items: tuple[tuple[ast.expr, Value], ...]


Value = Step | Logged | Several | Named


@dataclasses.dataclass(frozen=True, eq=False)
class Asked:
    """Whether a step was asked for values.

    Attributes:
      attribute: what says so.
      negated: whether it is meant that it was not.
    """

    attribute: ast.expr
    negated: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Callback:
    """One class.

    Attributes:
      base: the expression that names SessionRunHook.
      modes: "train", "test", "predict": those in which it is called.
      methods: the hook's methods by their name.
      initialised: whether its `__init__` calls that of its base, or there is none.
      stops: statements that ask training to stop.
      gone: statements of which nothing is left.
      returns: statements that returned what is asked for, where others follow.
      steps: calls that give the global step's variable.
      values: expressions -> their value.
      asked: expressions that say whether there is a value.
      names: at constructions, tensors -> the names under which the step returns them.
    """

    class_: ast.ClassDef
    base: ast.expr
    modes: tuple[str, ...]
    methods: dict[str, ast.FunctionDef]
    initialised: bool
    stops: tuple[ast.stmt, ...]
    gone: tuple[ast.stmt, ...]
    returns: tuple[ast.stmt, ...]
    steps: tuple[ast.expr, ...]
    values: dict[ast.expr, Value]
    asked: dict[ast.expr, Asked]
    names: dict[ast.expr, str]


@dataclasses.dataclass(frozen=True, eq=False)
class StaysHook:
    """A hook that stays one, and why.

    Attributes:
      node: where that is seen.
    """

    class_: ast.ClassDef
    node: ast.AST
    reason: str
