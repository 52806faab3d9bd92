"""A hook as a callback of Keras: what each of its statements and values becomes.

The front-end (`migrate.frontends.callbacks`) finds this, the back-end
(`migrate.backends.keras.callbacks`) writes it. Nodes are the user's own.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping


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
      parameters: of `__init__`, those that are given tensors -> their place.
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
    parameters: dict[str, int]


@dataclasses.dataclass(frozen=True, eq=False)
class StaysHook:
    """A hook that stays one, and why.

    Attributes:
      class_: the class; or what makes one, where it is of another file.
      node: where that is seen.
    """

    name: str
    class_: ast.AST
    node: ast.AST
    reason: str


@dataclasses.dataclass(frozen=True)
class UsedElsewhere:
    """What other files do with a class of hooks.

    Attributes:
      modes: those in which its objects are called there.
      given: parameters of its `__init__` -> how tensors would be given there: "", "list"
        or "dict".
      created: whether a hook of the tree is told that there is a session.
      several: whether a strategy may train on several devices of a process.
    """

    modes: tuple[str, ...]
    given: Mapping[str, str]
    created: bool
    several: bool


@dataclasses.dataclass(frozen=True)
class OfOtherFile:
    """A callback of another file.

    Attributes:
      name: its class's.
      used: as its own file knows it.
      parameters: those that are given tensors -> their place.
    """

    name: str
    used: UsedElsewhere
    parameters: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class SharedCallbacks:
    """A file's part in the callbacks that files of a tree have together.

    Attributes:
      own: its classes that others use, too.
      stay: its classes that others name -> why they stay hooks.
      imported: what names one of another file here -> that.
      several: whether a strategy of the tree may train on several devices of a process.
    """

    own: Mapping[str, UsedElsewhere] = dataclasses.field(default_factory=dict)
    stay: Mapping[str, str] = dataclasses.field(default_factory=dict)
    imported: Mapping[str, OfOtherFile] = dataclasses.field(default_factory=dict)
    several: bool = False


@dataclasses.dataclass(frozen=True, eq=False)
class Made:
    """An object of a callback of another file.

    Attributes:
      names: tensors that it is given -> the names under which the step returns them.
    """

    call: ast.Call
    name: str
    names: dict[ast.expr, str]
