"""Packages other than TensorFlow: what a call into them is, and whether it may touch a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import arguments_of, arrays, calls, containers, imports, objects
from migrate.evaluate.completions import NEVER
from migrate.evaluate.hosts import describe
from migrate.graph.values import (
    NONE,
    Array,
    Choice,
    Const,
    External,
    Function,
    Host,
    Method,
    Partial,
    Reference,
    Tuple,
    Unknown,
    Value,
)
from migrate.tables import libraries

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Packages that call what they are given, in a thread or a process.
_CALLERS = {"threading", "multiprocessing", "concurrent", "_thread", "joblib"}
_STOPS = {"sys.exit", "os._exit", "exit", "quit", "os.abort"}


def find_attribute(m: Machine, path: str) -> Value:
    """A name of another package."""
    if path == "sys.argv":
        return arguments_of.make_argv(m)
    if path == "os.environ":
        return m.hosts.make("name", path, what=path)
    if path == "sys.path":
        return m.hosts.make("name", path, what=path)
    if path in ("sys.version_info", "sys.version_info.major"):
        if path.endswith("major"):
            return Const(3)
        return Tuple((Const(3), Const(7), Const(16), Const("final"), Const(0)))
    if path in ("six.PY3", "six.PY2"):
        return Const(path == "six.PY3")
    if path.startswith("six.moves"):
        name = path.rpartition(".")[2]
        if name in ("range", "xrange", "zip", "map", "filter", "input"):
            from migrate.graph.values import Builtin

            return Builtin("range" if name == "xrange" else name)
    if path.startswith("absl.flags.FLAGS."):
        return arguments_of.read_flag(m, path.rpartition(".")[2])
    dtype = arrays.find_dtype(path)
    return dtype if dtype is not None else External(path)


def find_host_attribute(m: Machine, value: Host, name: str) -> Value:
    """`.name` of a value that only a run knows."""
    if name == "shape":
        return arrays.find_shape(m, value)
    if name == "T" and value.array is not None and value.array.shape is not None:
        array = Array(value.array.shape[::-1], value.array.dtype)
        return m.hosts.make(".", value, name, what=f"{value.what}.T", array=array)
    return m.hosts.make(".", value, name, what=f"{value.what}.{name}")


def stop(m: Machine) -> Value:
    """The program ends here."""
    m.ended = NEVER
    return NONE


def call_function(
    m: Machine, path: str, given: list[Value], named: dict[str, Value]
) -> Value:
    """A call of another package's function."""
    if path in _STOPS:
        return stop(m)
    handler = _HANDLERS.get(path)
    if handler is not None:
        found = handler(m, given, named)
        if found is not None:
            return found
    if path.startswith("argparse."):
        return arguments_of.make_parser(m)
    if path.startswith("absl.flags.DEFINE_"):
        return arguments_of.define(m, path.partition("DEFINE_")[2], given, named)
    if path == "absl.app.run":
        return run_main(m, given, named)
    if path in arrays.GENERATORS:
        return arrays.make_generator(m, path, given)
    if path.startswith(("numpy.", "math.")):
        array = arrays.call_function(m, path, given, named)
        if array is not None:
            return array
    return make_unseen(m, path, given, named)


def run_main(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    """`app.run(main)`: the program's main function, and then the end of the program."""
    main = given[0] if given else named.get("main", NONE)
    if main == NONE:
        module = m.store.get(("module", m.tree.start))
        from migrate.evaluate import attributes

        main = attributes.get(m, module, "main")
    argument = containers.make_list(
        m, [m.hosts.make("name", "sys.argv[0]", what="sys.argv[0]")]
    )
    calls.call_value(m, main, [argument], {})
    return stop(m)


def make_unseen(
    m: Machine, path: str, given: list[Value], named: dict[str, Value]
) -> Value:
    """The result of a call into a package whose code the evaluator does not have."""
    package = path.partition(".")[0]
    values = (*given, *named.values())
    what = f"{path}({', '.join(map(describe, given))})"
    harmless = package in libraries.WITHOUT_GRAPHS or imports.is_standard(package)
    if not harmless:
        return m.report_problem(
            f"a call into {package}, whose code the evaluator does not have"
        )
    mentioned = any(containers.mentions_graph(m, v) for v in values)
    if package in _CALLERS and any(map(_may_be_called, values)):
        # It may be called at any time: what it builds or runs would be missed.
        return m.report_problem(f"{path} gets a function of the program")
    if any(isinstance(value, Unknown) for value in values):
        return m.make_unknown(f"{path} gets an unknown argument")
    if mentioned and package in ("numpy", "pickle", "copy") and path != "copy.copy":
        return m.make_unknown(f"{path} gets a value of a graph")
    for value in values:
        _forget(m, value)
    return m.hosts.make_fresh(what)


def _may_be_called(value: Value) -> bool:
    return isinstance(value, (Function, Method, Partial, Unknown))


def _forget(m: Machine, value: Value) -> None:
    """A container that unseen code gets may have other contents afterwards."""
    if not (isinstance(value, Reference) and value.kind in ("list", "dict", "set")):
        return
    if containers.mentions_graph(m, value):
        return
    # Packages of numbers read what they are given; only shuffles write.
    return


def call_host(
    m: Machine, function: Host, given: list[Value], named: dict[str, Value]
) -> Value:
    """A call of something that only a run knows: a method of an array, of a data set."""
    found = arrays.call_method(m, function, given, named)
    if found is not None:
        return found
    what = f"{function.what}({', '.join(map(describe, given))})"
    return m.hosts.make_fresh(what)


def is_instance(value: Value, path: str) -> bool | None:
    """Whether a value is of a class of another package; None where that is not known."""
    if isinstance(value, (Host, Unknown)):
        return None
    number = {"numpy.ndarray", "numpy.generic", "numbers.Number", "six.string_types"}
    if path in ("numbers.Number", "numbers.Integral", "numbers.Real"):
        return isinstance(value, Const) and isinstance(value.value, (int, float))
    if path in ("six.string_types", "collections.Iterable"):
        return isinstance(value, Const) and isinstance(value.value, str)
    if path == "six.integer_types":
        return isinstance(value, Const) and isinstance(value.value, int)
    return (
        False
        if path in number or isinstance(value, (Const, Reference, Tuple))
        else None
    )


# -- what Python's own library does with values of the program --


def _call_partial(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return Partial(given[0], tuple(given[1:]), tuple(named.items()))


def _call_reduce(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate_over(m, given[1])
    if items is None:
        return m.hosts.make_fresh("reduce(...)")
    items = [*given[2:], *items]
    total = items[0] if items else m.make_unknown("reduce of nothing")
    for item in items[1:]:
        total = calls.call_value(m, given[0], [total, item], {})
    return total


def _make_named_tuple_class(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value:
    fields = given[1] if len(given) > 1 else named.get("field_names", NONE)
    names: list[str] = []
    if isinstance(fields, Const) and isinstance(fields.value, str):
        names = fields.value.replace(",", " ").split()
    else:
        for item in containers.list_elements(m, fields) or []:
            if isinstance(item, Const):
                names.append(str(item.value))
    made = objects.make_class(m, "namedtuple", (External("namedtuple"),))
    kind = str(given[0].value) if given and isinstance(given[0], Const) else ""
    m.store.set((made.address, "fields"), (kind, tuple(names)))
    return Partial(External("namedtuple.make"), (made,), ())


def _make_tuple(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    cls, *values = given
    assert isinstance(cls, Reference)
    kind, names = m.store.get((cls.address, "fields"))
    items = dict(zip(names, values)) | named
    if set(items) != set(names):
        return m.make_unknown(f"a {kind} without all its fields")
    return Tuple(tuple(items[n] for n in names), names, kind)


def _make_ordered_dict(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value:
    from migrate.evaluate import builtin_functions

    return builtin_functions.call_builtin(m, "dict", given, named)


def _call_default_dict(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value:
    made = containers.make_dict(m, ())
    if given and given[0] != NONE:
        m.store.set((made.address, "default"), given[0])
    return made


def _call_deque(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    from migrate.evaluate import builtin_functions

    made = builtin_functions.call_builtin(m, "list", given[:1], {})
    return made if isinstance(made, Reference) else containers.make_list(m, ())


def _call_deepcopy(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value | None:
    value = given[0]
    if isinstance(value, (Const, Tuple, Host)):
        return value
    if isinstance(value, Reference) and value.kind in ("list", "dict", "set"):
        address = m.store.allocate()
        m.store.set((address, "items"), m.read((value.address, "items"), ()))
        return Reference(address, value.kind)
    return None


def _call_wraps(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return External("functools.wraps")


def _call_product(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value | None:
    import itertools

    columns = [calls.iterate_over(m, v) for v in given]
    if named or any(c is None for c in columns):
        return None
    rows = itertools.product(*(c for c in columns if c is not None))
    return containers.make_list(m, [Tuple(row) for row in rows])


def _call_chain(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value | None:
    columns = [calls.iterate_over(m, v) for v in given]
    if any(c is None for c in columns):
        return None
    return containers.make_list(m, [v for c in columns if c is not None for v in c])


def _add_path(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return NONE


def _join_path(m: Machine, given: list[Value], named: dict[str, Value]) -> Value | None:
    import posixpath

    if given and all(isinstance(v, Const) and isinstance(v.value, str) for v in given):
        return Const(
            posixpath.join(*(str(v.value) for v in given if isinstance(v, Const)))
        )
    if any(isinstance(v, (Unknown, Choice)) for v in given):
        return None
    what = f"os.path.join({', '.join(map(describe, given))})"
    return m.hosts.make("os.path.join", *given, what=what)


def _call_environ(
    m: Machine, given: list[Value], named: dict[str, Value]
) -> Value | None:
    if given and isinstance(given[0], Const):
        known = m.configuration.environment.get(str(given[0].value))
        if known is not None:
            return Const(known)
        if m.configuration.environment and len(given) > 1:
            return given[1]
    return m.hosts.make("os.environ", *given, what="os.environ")


_HANDLERS: dict[str, Callable[..., Value | None]] = {
    "functools.partial": _call_partial,
    "functools.reduce": _call_reduce,
    "functools.wraps": _call_wraps,
    "six.moves.reduce": _call_reduce,
    "collections.namedtuple": _make_named_tuple_class,
    "namedtuple.make": _make_tuple,
    "collections.OrderedDict": _make_ordered_dict,
    "collections.defaultdict": _call_default_dict,
    "collections.deque": _call_deque,
    "copy.deepcopy": _call_deepcopy,
    "copy.copy": _call_deepcopy,
    "itertools.product": _call_product,
    "itertools.chain": _call_chain,
    "os.path.join": _join_path,
    "os.environ.get": _call_environ,
    "os.getenv": _call_environ,
    "sys.path.append": _add_path,
    "sys.path.insert": _add_path,
    "six.iteritems": lambda m, given, named: _call_method(m, given, "items"),
    "six.itervalues": lambda m, given, named: _call_method(m, given, "values"),
    "six.iterkeys": lambda m, given, named: _call_method(m, given, "keys"),
}


def _call_method(m: Machine, given: list[Value], name: str) -> Value:
    from migrate.evaluate import attributes

    return calls.call_value(m, attributes.get(m, given[0], name), [], {})
