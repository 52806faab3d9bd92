"""Evaluates the command line: `sys.argv`, argparse, and TensorFlow's flags.

A flag's default is not a constant, because whoever starts the program may set the flag.
It is a constant if the configuration says that the program was started without
arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import containers, objects
from migrate.graph.values import NONE, Const, External, Reference, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_PARSER = External("argparse.ArgumentParser")
_NAMESPACE = External("argparse.Namespace")


def make_argv(m: Machine) -> Value:
    """`sys.argv`."""
    arguments = m.configuration.arguments
    if arguments is None:
        return m.hosts.make("name", "sys.argv", what="sys.argv")
    program = m.hosts.make("name", "sys.argv[0]", what="sys.argv[0]")
    known = [
        Const(a) if "/run/" not in a else m.hosts.make("argument", a, what=a)
        for a in arguments
    ]
    return containers.make_list(m, [program, *known])


def make_parser(m: Machine) -> Value:
    """A parser, or a group of one: it collects what is added to it."""
    made = objects.make_object(m, _PARSER)
    objects.set_field(m, made, "added", containers.make_list(m, ()))
    return made


def is_parser(m: Machine, value: Value) -> bool:
    return objects.find_class(m, value) == _PARSER


def call_method(
    m: Machine, value: Reference, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    """`parser.add_argument(...)`, `parser.parse_args()`."""
    added = objects.get_field(m, value, "added")
    assert isinstance(added, Reference)
    if name == "add_argument":
        _add(m, added, given, named)
        return m.hosts.make_fresh("an argument")
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return value
    if name == "set_defaults":
        for key, item in named.items():
            containers.append(m, added, [_make_pair(m, key, item)])
        return NONE
    if name in ("parse_args", "parse_known_args"):
        space = _make_namespace(m, added)
        if name == "parse_args":
            return space
        from migrate.graph.values import Tuple

        return Tuple((space, m.hosts.make_fresh("other arguments")))
    return m.hosts.make_fresh(f"parser.{name}(...)")


def _make_pair(m: Machine, name: str, value: Value) -> Value:
    from migrate.graph.values import Tuple

    return Tuple((Const(name), value))


def _add(
    m: Machine, added: Reference, given: list[Value], named: dict[str, Value]
) -> None:
    names = [str(v.value) for v in given if isinstance(v, Const)]
    long = [n for n in names if n.startswith("--")] or names
    if not long:
        return
    name = long[0].lstrip("-").replace("-", "_")
    dest = named.get("dest")
    if isinstance(dest, Const):
        name = str(dest.value)
    default = named.get("default", NONE)
    action = named.get("action")
    if default == NONE and isinstance(action, Const) and action.value in _SWITCHES:
        default = Const(action.value == "store_false")
    convert = named.get("type")
    if (
        isinstance(default, Const)
        and isinstance(default.value, str)
        and convert is not None
    ):
        from migrate.evaluate import calls

        default = calls.call_value(m, convert, [default], {})
    containers.append(m, added, [_make_pair(m, name, default)])


_SWITCHES = ("store_true", "store_false")


def _make_namespace(m: Machine, added: Reference) -> Value:
    from migrate.graph.values import Tuple

    space = objects.make_object(m, _NAMESPACE)
    for pair in containers.list_elements(m, added) or []:
        if isinstance(pair, Tuple) and isinstance(pair.items[0], Const):
            name = str(pair.items[0].value)
            objects.set_field(m, space, name, find_flag(m, name, pair.items[1]))
    return space


def _read_flag_argument(m: Machine, name: str, default: Value) -> Value | None:
    """Returns the value that the command line gives a flag; None if it gives none."""
    arguments = m.configuration.arguments or ()
    for place, argument in enumerate(arguments):
        key, equal, text = argument.lstrip("-").partition("=")
        if not argument.startswith("-") or key.replace("-", "_") != name:
            continue
        if not equal:
            rest = arguments[place + 1 : place + 2]
            text = rest[0] if rest and not rest[0].startswith("-") else ""
        if "/run/" in text or ":" in text:
            return m.hosts.make("argument", text, what=f"--{name}")
        return _convert(text, default)
    return None


def _convert(text: str, default: Value) -> Const:
    """Converts an argument's text to the type of the flag's default."""
    kind = type(default.value) if isinstance(default, Const) else str
    if kind is bool or (not text and kind is not str):
        return Const(text.lower() in ("", "true", "t", "1", "yes", "y"))
    try:
        return Const(kind(text)) if kind in (int, float) else Const(text)
    except ValueError:
        return Const(text)


def find_flag(m: Machine, name: str, default: Value) -> Value:
    """Returns the value of a flag in this configuration."""
    given = _read_flag_argument(m, name, default)
    if given is not None:
        return given
    if m.configuration.flags:
        return default
    return m.hosts.make("flag", name, what=f"--{name}")


# -- TensorFlow's and absl's flags --

_CONVERTED = {"float": float, "integer": int, "bool": bool, "boolean": bool}


def define(m: Machine, kind: str, given: list[Value], named: dict[str, Value]) -> Value:
    """`flags.DEFINE_string(name, default, help)`."""
    name = given[0] if given else named.get("name", named.get("flag_name", NONE))
    default = (
        given[1]
        if len(given) > 1
        else named.get("default", named.get("default_value", NONE))
    )
    if isinstance(name, Const):
        convert = _CONVERTED.get(kind)
        if convert is not None and isinstance(default, Const) and default != NONE:
            if isinstance(default.value, (int, float)) or kind not in (
                "bool",
                "boolean",
            ):
                try:
                    default = Const(convert(default.value))
                except (TypeError, ValueError):
                    pass
            elif isinstance(default.value, str):
                default = Const(default.value.lower() in ("true", "t", "1"))
        m.store.set(("flags", str(name.value)), find_flag(m, str(name.value), default))
    return NONE


def read_flag(m: Machine, name: str) -> Value:
    """`FLAGS.name`."""
    found = m.read(("flags", name), None)
    if isinstance(found, Value):
        return found
    return m.hosts.make("flag", name, what=f"--{name}")


def set_flag(m: Machine, name: str, value: Value) -> None:
    """`FLAGS.name = value`."""
    m.store.set(("flags", name), value)
