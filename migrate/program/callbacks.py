"""Describes a hook as a Keras callback: the new form of its statements and values.

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
      held: an attribute that holds the variable; None if none does.
    """

    held: ast.expr | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Logged:
    """A value that the step returns under a name.

    Attributes:
      name: the name; or an attribute that holds it.
      names: the form in which the attribute holds several names: "", "list" or "dict".
      key: the key of the one that is meant; None for all.
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
    """Whether the hook asked a step for values.

    Attributes:
      attribute: the attribute that says so.
      negated: whether the code asks if it did not.
    """

    attribute: ast.expr
    negated: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Callback:
    """One hook class as a callback.

    Attributes:
      base: the expression that names SessionRunHook.
      modes: the modes in which it is called: "train", "test", "predict".
      methods: the hook's methods by their name.
      initialised: whether its `__init__` calls that of its base, or there is none.
      stops: statements that ask training to stop.
      gone: statements that are removed.
      returns: statements that returned the request for values, if others follow.
      steps: calls that give the global step's variable.
      values: expressions -> their value.
      asked: expressions that say whether there is a value.
      names: at constructions, tensors -> the names under which the step returns them.
      parameters: those of `__init__` that get tensors -> their position.
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
    """A hook that stays a hook, and the reason.

    Attributes:
      class_: the class; or the call that makes one, if it is from another file.
      node: the place that gives the reason.
    """

    name: str
    class_: ast.AST
    node: ast.AST
    reason: str


@dataclasses.dataclass(frozen=True)
class UsedElsewhere:
    """The uses of a hook class in other files.

    Attributes:
      modes: the modes in which its objects are called there.
      given: parameters of its `__init__` -> the form in which they would get tensors there:
        "", "list" or "dict".
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
      name: the name of its class.
      used: its uses, as its own file knows them.
      parameters: those that get tensors -> their position.
    """

    name: str
    used: UsedElsewhere
    parameters: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class SharedCallbacks:
    """A file's part in the callbacks that files of a tree share.

    Attributes:
      own: its classes that others use, too.
      stay: its classes that others name -> the reason why they stay hooks.
      imported: names in this file -> the callbacks of other files that they stand for.
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
      names: its tensor arguments -> the names under which the step returns them.
    """

    call: ast.Call
    name: str
    names: dict[ast.expr, str]
