"""Variable scopes: names of variables, reuse, defaults; and scopes of arguments (slim)."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from migrate.evaluate import objects
from migrate.evaluate.store import MISSING
from migrate.graph.values import NONE, Const, Reference, Symbol, Value
from migrate.tfmodel import graphs
from migrate.tfmodel.registry import (
    Call,
    as_list,
    class_,
    fields_of,
    function,
    keep,
    label_of,
    method,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

AUTO = "auto"


@dataclasses.dataclass(frozen=True, slots=True)
class VariableScope:
    """The defaults that a scope gives the variables that are made in it.

    Attributes:
      name: "a/b".
      reuse: "no", "yes" or "auto"; None where it is not known.
      original: the scope of names that was opened with it.
    """

    name: str = ""
    reuse: str | None = "no"
    initializer: Value = NONE
    regularizer: Value = NONE
    partitioner: Value = NONE
    custom_getter: Value = NONE
    dtype: str = "float32"
    original: str = ""
    resource: bool = False


def current(m: Machine) -> VariableScope:
    found = m.store.get((graphs.current(m), "varscope"), VariableScope())
    assert isinstance(found, VariableScope)
    return found


def set_current(m: Machine, scope: VariableScope) -> None:
    m.store.set((graphs.current(m), "varscope"), scope)


# -- how often a scope has been opened: what makes default names unique --


def _count(m: Machine, name: str) -> int:
    found = m.store.get((graphs.current(m), "opened", name), 0)
    return found if isinstance(found, int) else 1


def _open(m: Machine, name: str) -> None:
    graph = graphs.current(m)
    m.store.set((graph, "opened", name), _count(m, name) + 1)
    # Each scope knows those directly below it, so that closing one costs what is in it.
    while name:
        above = name.rpartition("/")[0]
        known = m.store.get((graph, "below", above), frozenset())
        if name in known:
            return
        m.store.set((graph, "below", above), known | {name})
        name = above


def _find_below(m: Machine, name: str) -> list[str]:
    """All names that were opened below one."""
    graph = graphs.current(m)
    found: list[str] = []
    work = [name]
    while work:
        below = sorted(m.store.get((graph, "below", work.pop()), ()))
        found += below
        work += below
    return found


def _close_below(m: Machine, name: str) -> None:
    graph = graphs.current(m)
    for one in _find_below(m, name):
        m.store.set((graph, "opened", one), 0)


def _counts(m: Machine, name: str) -> dict[str, int]:
    return {one: _count(m, one) for one in (name, *_find_below(m, name))}


def unique_default(m: Machine, prefix: str) -> str:
    """The name that a scope without one gets."""
    inside = current(m).name
    name = f"{inside}/{prefix}" if inside else prefix
    if not _count(m, name):
        return prefix
    # Scopes side by side are forgotten together: where the last one is known, all before it are.
    hint = (graphs.current(m), "lastopened", name)
    number = m.store.get(hint, 1)
    if not _count(m, f"{name}_{number}"):
        number = 1
    while _count(m, f"{name}_{number}"):
        number += 1
    m.store.set(hint, number)
    return f"{prefix}_{number}"


@dataclasses.dataclass(frozen=True, slots=True)
class Opened:
    """The state that is restored when a scope is left."""

    names: str
    scope: VariableScope
    graph: int
    pure: str
    counts: tuple[tuple[str, int], ...] | None


def enter(
    m: Machine,
    name: str | VariableScope | None,
    default: str | None = None,
    *,
    reuse: str | None = "no",
    named: bool = True,
    **changes: Value,
) -> tuple[Opened, VariableScope]:
    """Opens a scope; returns the state to restore, and the scope.

    Args:
      named: whether a scope of names is opened with it.
    """
    old = current(m)
    graph = graphs.current(m)
    old_names = graphs.scope(m)
    existing = name if isinstance(name, VariableScope) else None
    if name is None:
        assert default is not None
        own = default
    else:
        own = name.name.rpartition("/")[2] if isinstance(name, VariableScope) else name
    if named and own:
        graphs.enter_scope(m, own)
    original = graphs.scope(m) + "/" if graphs.scope(m) else ""
    counts: tuple[tuple[str, int], ...] | None = None
    if existing is not None:
        counts = tuple(_counts(m, existing.name).items())
        _open(m, existing.name)
        new = dataclasses.replace(
            existing, reuse=_reuse(old.reuse, reuse, existing.reuse)
        )
        if named:
            new = dataclasses.replace(new, original=existing.original)
    else:
        part = unique_default(m, own) if name is None else own
        whole = f"{old.name}/{part}" if old.name and part else old.name or part
        _open(m, whole)
        new = dataclasses.replace(
            old, name=whole, reuse=_reuse(old.reuse, reuse, "no"), original=original
        )
    kept = {key: item for key, item in changes.items() if item != NONE}
    dtype = kept.pop("dtype", None)
    if dtype is not None:
        from migrate.evaluate import arrays

        new = dataclasses.replace(new, dtype=arrays.find_type_name(dtype) or new.dtype)
    resource = kept.pop("use_resource", None)
    if isinstance(resource, Const):
        new = dataclasses.replace(new, resource=bool(resource.value))
    known = {f.name for f in dataclasses.fields(VariableScope)}
    others: dict[str, Any] = {k: v for k, v in kept.items() if k in known}
    new = dataclasses.replace(new, **others)
    set_current(m, new)
    return Opened(old_names, old, graph, new.name, counts), new


def _reuse(outer: str | None, given: str | None, own: str | None) -> str | None:
    if given is None or outer is None:
        return None
    if given != "no":
        return given
    return own if own != "no" else outer


def leave(m: Machine, opened: Opened) -> None:
    """Closes a scope."""
    with graphs.default(m, opened.graph):
        _close_below(m, opened.pure)
        if opened.counts is not None:
            before = dict(opened.counts)
            for name in (opened.pure, *_find_below(m, opened.pure)):
                m.store.set((opened.graph, "opened", name), before.get(name, 0))
        set_current(m, opened.scope)
        graphs.set_scope(m, opened.names)


def reuse_of(call: Call, value: Value) -> str | None:
    """Reads the argument `reuse` as "no", "yes" or "auto"; None if it is not known."""
    if value == NONE:
        return "no"
    if isinstance(value, Const):
        return "yes" if value.value else "no"
    if isinstance(value, Symbol) and value.path.endswith("AUTO_REUSE"):
        return AUTO
    return None


# -- objects of the program --


def scope_object(m: Machine, scope: VariableScope) -> Reference:
    """A VariableScope as the program holds it."""
    made = objects.make_object(m, Symbol("tf.VariableScope"))
    m.store.set((made.address, "scope"), scope)
    return made


def of_object(m: Machine, value: Value) -> VariableScope | None:
    """The scope that a value is."""
    if not isinstance(value, Reference):
        return None
    if m.store.get((value.address, "current")) is not MISSING:
        return current(m)
    found = m.store.get((value.address, "scope"), None)
    return found if isinstance(found, VariableScope) else None


@class_("tf.variable_scope")
def _variable_scope(call: Call) -> Value:
    keep(call.m, _self(call), **{k: v for k, v in call.given.items()})
    return NONE


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


@method("tf.variable_scope", "__enter__")
def _enter(call: Call) -> Value:
    m, own = call.m, _self(call)
    given = fields_of(m, own, "name_or_scope")
    name: str | VariableScope | None = graphs.text_of(given)
    if name is None and given != NONE:
        name = of_object(m, given)
        if name is None:
            return _unknown_scope(call)
    default = graphs.text_of(fields_of(m, own, "default_name"))
    if name is None and default is None:
        return _unknown_scope(call)
    reuse = reuse_of(call, fields_of(m, own, "reuse"))
    auxiliary = fields_of(m, own, "auxiliary_name_scope")
    changes = {
        key: fields_of(m, own, key)
        for key in (
            "initializer",
            "regularizer",
            "partitioner",
            "custom_getter",
            "dtype",
        )
    }
    changes["use_resource"] = fields_of(m, own, "use_resource")
    opened, scope = enter(
        m, name, default, reuse=reuse, named=auxiliary != Const(False), **changes
    )
    m.store.set(
        (own.address, "opened"), (*m.store.get((own.address, "opened"), ()), opened)
    )
    if reuse is None:
        call.problem("whether variables are reused is not known")
    return scope_object(m, scope)


def _unknown_scope(call: Call) -> Value:
    m, own = call.m, _self(call)
    m.store.set(
        (own.address, "opened"), (*m.store.get((own.address, "opened"), ()), None)
    )
    return call.problem("the scope is unknown")


@method("tf.variable_scope", "__exit__")
def _exit(call: Call) -> Value:
    m, own = call.m, _self(call)
    stack = m.store.get((own.address, "opened"), ())
    if stack:
        if stack[-1] is not None:
            leave(m, stack[-1])
        m.store.set((own.address, "opened"), stack[:-1])
    return NONE


@function("tf.variable_op_scope")
def _variable_op_scope(call: Call) -> Value:
    made = objects.make_object(call.m, Symbol("tf.variable_scope"))
    keep(call.m, made, **call.given)
    return made


@function("tf.get_variable_scope")
def _get_variable_scope(call: Call) -> Value:
    m = call.m
    made = scope_object(m, current(m))
    # Later reads of it are reads of the scope that is open now.
    keep(m, made, graph=Const(graphs.current(m)))
    return made


@method("tf.VariableScope", "reuse_variables")
def _reuse_variables(call: Call) -> Value:
    m, own = call.m, _self(call)
    scope = of_object(m, own)
    if scope is None:
        return call.problem("the scope is unknown")
    changed = dataclasses.replace(scope, reuse="yes")
    m.store.set((own.address, "scope"), changed)
    if scope.name == current(m).name:
        set_current(m, dataclasses.replace(current(m), reuse="yes"))
    return NONE


@method("tf.VariableScope", "set_initializer", "set_regularizer", "set_partitioner")
def _set_default(call: Call) -> Value:
    m, own = call.m, _self(call)
    scope = of_object(m, own)
    if scope is not None and call.given:
        field = call.symbol.rpartition("_")[2]
        item: dict[str, Any] = {field: next(iter(call.given.values()))}
        m.store.set((own.address, "scope"), dataclasses.replace(scope, **item))
        if scope.name == current(m).name:
            set_current(m, dataclasses.replace(current(m), **item))
    return NONE


@method("tf.VariableScope", "get_variable")
def _get_variable(call: Call) -> Value:
    from migrate.tfmodel import variables

    return variables.get_variable(call, of_object(call.m, call.receiver))


# -- scopes of names --


@class_("tf.name_scope")
def _name_scope(call: Call) -> Value:
    keep(call.m, _self(call), name=call.get("name"), default=call.get("default_name"))
    return NONE


@method("tf.name_scope", "__enter__")
def _enter_name_scope(call: Call) -> Value:
    m, own = call.m, _self(call)
    given, default = fields_of(m, own, "name"), fields_of(m, own, "default")
    name = graphs.text_of(given)
    old = graphs.scope(m)
    if name is None and given == NONE:
        name = graphs.text_of(default)
    if name is None and given != NONE:
        # Its name is not known, so the names in it are not known either.
        name = "?"
    old = graphs.enter_scope(m, name)
    m.store.set(
        (own.address, "opened"), (*m.store.get((own.address, "opened"), ()), old)
    )
    now = graphs.scope(m)
    return Const(now + "/" if now else "")


@method("tf.name_scope", "__exit__")
def _exit_name_scope(call: Call) -> Value:
    m, own = call.m, _self(call)
    stack = m.store.get((own.address, "opened"), ())
    if stack:
        graphs.set_scope(m, stack[-1])
        m.store.set((own.address, "opened"), stack[:-1])
    return NONE


@function("tf.op_scope")
def _op_scope(call: Call) -> Value:
    made = objects.make_object(call.m, Symbol("tf.name_scope"))
    keep(call.m, made, name=call.get("name"), default=call.get("default_name"))
    return made


# -- scopes of arguments --

_ARGUMENTS = ("arguments", "scope")
ArgumentScope = tuple[tuple[str, tuple[tuple[str, Value], ...]], ...]


def arguments_for(m: Machine, label: str) -> dict[str, Value]:
    """Returns the arguments that the open `arg_scope`s give a function."""
    found: ArgumentScope = m.store.get(_ARGUMENTS, ())
    return dict(dict(found).get(label, ()))


@function("tf.contrib.framework.arg_scope")
def _arg_scope(call: Call) -> Value:
    m = call.m
    made = objects.make_object(m, Symbol("tf.contrib.framework.arg_scope"))
    listed = call.get("list_ops_or_scope")
    scope = (
        m.store.get((listed.address, "arguments"))
        if isinstance(listed, Reference)
        else MISSING
    )
    if scope is not MISSING:
        m.store.set((made.address, "arguments"), scope)
        return made
    current_scope: ArgumentScope = m.store.get(_ARGUMENTS, ())
    table = {label: dict(pairs) for label, pairs in current_scope}
    given = dict(call.given)
    given.pop("list_ops_or_scope", None)
    for one in as_list(m, listed):
        label = None
        if isinstance(one, Symbol):
            try:
                label = label_of(one.path)
            except KeyError:
                label = None
        if label is None:
            return call.problem("a function of an argument scope is not known")
        table.setdefault(label, {}).update(given)
    frozen = tuple((label, tuple(pairs.items())) for label, pairs in table.items())
    m.store.set((made.address, "arguments"), frozen)
    return made


def enter_arguments(m: Machine, value: Reference) -> Value:
    """`with slim.arg_scope(...)`."""
    old = m.store.get(_ARGUMENTS, ())
    m.store.set((value.address, "old"), (*m.store.get((value.address, "old"), ()), old))
    m.store.set(_ARGUMENTS, m.store.get((value.address, "arguments"), ()))
    return value


def leave_arguments(m: Machine, value: Reference) -> None:
    stack = m.store.get((value.address, "old"), ())
    if stack:
        m.store.set(_ARGUMENTS, stack[-1])
        m.store.set((value.address, "old"), stack[:-1])
