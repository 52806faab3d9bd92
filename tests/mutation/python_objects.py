"""Runs methods, built-in functions and operators, and observes their effects.

Nothing is recorded: it takes less than a second, and asks the Python that runs it.
"""

from __future__ import annotations

import builtins
import collections
import copy
import functools
import io
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_MODULES = (
    "import argparse, collections, copy, datetime, heapq, io, itertools, logging, pathlib, "
    "random, re, threading, bisect, numpy"
)
# What makes an object -> methods of it with their arguments.
METHODS: dict[str, str] = {
    "[3, 1, 2]": "append(1) clear() copy() count(1) extend([1]) index(1) insert(0,1) pop() "
    "remove(1) reverse() sort()",
    "'a b'": "center(9) encode() endswith('a') find('a') format() index('a') isdigit() "
    "join('ab') ljust(9) lower() lstrip() replace('a','b') rfind('a') rjust(9) rsplit() "
    "rstrip() split() splitlines() startswith('a') strip() title() upper() zfill(9) count('a')",
    "{'a': 1}": "get('a') items() keys() values() pop('a') popitem() setdefault('b',1) "
    "update(b=1) clear() copy()",
    "{1, 2}": "add(3) discard(1) remove(1) difference_update({1}) intersection_update({1}) "
    "symmetric_difference_update({1}) update({5}) clear() pop()",
    "collections.deque([3, 1, 2])": "appendleft(1) extendleft([1]) popleft() rotate() append(1) "
    "remove(3) reverse()",
    "collections.OrderedDict(a=1, b=2)": "move_to_end('a') popitem()",
    "collections.Counter('ab')": "subtract('a')",
    "numpy.array([3.0, 1.0, 2.0])": "all() any() argmax() argmin() argsort() astype(int) "
    "copy() cumsum() dot([1,2,3]) flatten() max() mean() min() nonzero() ravel() repeat(2) "
    "reshape(3,1) squeeze() std() sum() tolist() transpose() var() fill(0) partition(0) "
    "resize(2,refcheck=False) sort() byteswap(True) put([0],[9]) setflags(write=False) "
    "setfield(7.0,float)",
    "b'a'": "decode()",
    "re.match('(a)', 'a')": "group() groups()",
    "datetime.datetime(2000, 1, 1)": "strftime('%Y')",
    "argparse.ArgumentParser()": "parse_args([]) parse_known_args([])",
    "pathlib.Path('~')": "expanduser()",
    "threading.Thread()": "is_alive()",
    "random.Random(1)": "seed(2)",
    "numpy.random.RandomState(1)": "seed(2)",
    "iter([1, 2])": "__next__()",
    "(i for i in range(3))": "send(None)",
    "[[1]]": "__setitem__(0,2) __delitem__(0) __iadd__([1])",
    "collections.UserList()": "__setattr__('data',[1])",
    "io.StringIO('a')": "read() readline() readlines() write('b') writelines(['b']) seek(1)",
}
# Functions that are given an object first.
FUNCTIONS: dict[str, str] = {
    "numpy.add.at(thing, 0, 1)": "numpy.ones(2)",
    "numpy.copyto(thing, 0)": "numpy.ones(2)",
    "numpy.fill_diagonal(thing, 0)": "numpy.ones((2, 2))",
    "numpy.place(thing, thing > 0, [9])": "numpy.ones(2)",
    "numpy.put(thing, 0, 9)": "numpy.ones(2)",
    "numpy.putmask(thing, thing > 0, 9)": "numpy.ones(2)",
    "numpy.random.shuffle(thing)": "[*range(99)]",
    "random.shuffle(thing)": "[*range(99)]",
    "numpy.put_along_axis(thing, numpy.array([0]), 9, 0)": "numpy.ones(2)",
    "heapq.heapify(thing)": "[3, 2, 1]",
    "heapq.heappushpop(thing, 9)": "[1, 2]",
    "heapq.heapreplace(thing, 9)": "[1, 2]",
    "bisect.insort_left(thing, 0)": "[1, 2]",
    "bisect.insort_right(thing, 0)": "[1, 2]",
    "heapq.heappop(thing)": "[1, 2]",
    "heapq.heappush(thing, 0)": "[1, 2]",
    "bisect.insort(thing, 0)": "[1, 2]",
    "next(thing)": "iter([1, 2])",
    "setattr(thing, 'data', [1])": "collections.UserList()",
    "delattr(thing, 'data')": "collections.UserList()",
    "numpy.sum(thing)": "numpy.ones(2)",
    "sorted(thing)": "[2, 1]",
    "len(thing)": "[2, 1]",
}
# Built-in functions that are given a list, or what stands here.
BUILTINS = (
    "abs(-7) bool(0) bytearray(2) bytes(2) complex(1) dict(a=1) divmod(3,2) enumerate(thing) "
    "filter(None,thing) float(1) format(1) frozenset(thing) getattr(1,'real') hasattr(1,'a') "
    "hash('a') int('7') isinstance(1,int) iter(thing) len(thing) list(thing) map(str,thing) "
    "max(thing) min(thing) object() open('/dev/null') ord('a') pow(2,2) print(end='') range(2) "
    "repr(thing) reversed(thing) round(1.5) set(thing) slice(thing) sorted(thing) str(thing) "
    "sum(thing) tuple(thing) type(1) zip(thing)"
)


def _names() -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(_MODULES, found)
    return found


def state_of(thing: Any) -> object:
    """Returns a state by which an object can be compared with itself later."""
    if isinstance(thing, np.ndarray):
        return (thing.tobytes(), thing.shape, thing.flags.writeable)
    if isinstance(thing, types.GeneratorType):
        return thing.gi_frame is not None and thing.gi_frame.f_lasti
    if isinstance(thing, io.StringIO):
        return (thing.getvalue(), thing.tell())
    for method in ("getstate", "get_state"):
        if hasattr(thing, method):
            return repr(getattr(thing, method)())
    if type(thing).__name__.endswith("iterator"):
        return [*copy.copy(thing)]
    if isinstance(thing, collections.UserList):
        return dict(vars(thing))
    return repr(thing)


def _changes(made: str, text: str) -> bool:
    """Whether evaluating something changes the object that it calls `thing`."""
    names = _names()
    names["thing"] = thing = eval(made, names)
    before = copy.deepcopy(state_of(thing))
    eval(text, names)
    return before != state_of(thing)


def _told(path: str) -> int:
    from migrate.facts.scopes import build_scopes
    from migrate.gates.traces import find_sites
    from migrate.source.nodes import parse_source

    text = f"def run(thing):\n    {path}\n"
    sites = find_sites(build_scopes(parse_source(text)), text)
    return next((s.effect.kind for s in sites if s.effect.kind), 0)


def find_wrong_methods() -> list[str]:
    """Methods of which the tool says that they change their object, and the other way round."""
    from migrate.tables import host_effects as table
    from migrate.tables import worker_state

    changing: dict[str, bool] = {}
    found = []
    for made, calls in METHODS.items():
        for call in calls.split():
            name = call.partition("(")[0]
            changes = _changes(made, f"thing.{call}")
            changing[name] = changing.get(name, False) or changes
            told = _told(f"thing.{call}")
            of_file = made.startswith("io.")
            if (
                of_file
                and told != table.Does.FILES
                or not of_file
                and (bool(told) != changes)
            ):
                found.append(f"{made}.{call}: {told!r}, it changes: {changes}")
    for name, changes in changing.items():
        of_file = name in METHODS["io.StringIO('a')"].replace("(", " ").split()
        if not of_file and (name in table.STATEFUL_METHODS) != changes:
            found.append(f"{name}: stateful")
        # What an iterator or a generator has of its own is no list's.
        own = name in ("__next__", "send", "seed")
        if not of_file and not own and (name in worker_state.MUTATORS) != changes:
            found.append(f"{name}: a mutator: {changes}")
    return found


def find_wrong_functions() -> list[str]:
    """Functions of which the tool says something else than they do to their first argument."""
    from migrate.tables import host_effects as table
    from migrate.tables import worker_state

    found = []
    for call, made in FUNCTIONS.items():
        path = call.partition("(")[0]
        changes = _changes(made, call)
        last = path.rpartition(".")[2]
        if (last in table.CHANGING_FUNCTIONS | table.CONSUMING) != changes:
            found.append(f"{call}: it changes: {changes}")
        if (path in worker_state.MUTATING_FUNCTIONS) != changes:
            found.append(f"{call}: of workers: it changes: {changes}")
    return found


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def find_wrong_builtins() -> list[str]:
    """Built-in functions whose results are something else than the tool says."""
    from migrate.tables import host_effects as table
    from migrate.tables import worker_state

    found = []
    for call in BUILTINS.split():
        name = call.partition("(")[0]
        thing = [3, 1]
        value = eval(call, {"thing": thing})
        once = hasattr(value, "__next__") and name != "open"
        changeable = not _is_hashable(value)
        if once != (name in table.ITERATORS - {"open"}) or once != (
            name in worker_state.ITERATORS
        ):
            found.append(f"{name}: an iterator: {once}")
        if name not in worker_state.CONSTANT_BUILTINS and not changeable and not once:
            found.append(f"{name}: nothing of it can be changed")
        if name in worker_state.CONSTANT_BUILTINS and (changeable or once):
            found.append(f"{name}: it can be changed")
        own = value is not thing and not any(value is item for item in thing)
        # `type` gives a class that others have, `open` a file, and `print` nothing.
        alone = own and not once and name not in ("open", "print", "type")
        if alone and name not in table.MAKERS:
            found.append(f"{name}: it makes an object of its own")
        if name in table.MAKERS and not own:
            found.append(f"{name}: it makes none")
    for call in ("filter(f, [1])", "map(f, [1])", "max([1, 2], key=f)"):
        found += _find_wrong_runner(call, table.RUNS_GIVEN)
    for call in ("min([1, 2], key=f)", "sorted([1], key=f)", "len([1])"):
        found += _find_wrong_runner(call, table.RUNS_GIVEN)
    return found


def _find_wrong_runner(call: str, runners: Iterable[str]) -> list[str]:
    ran: list[object] = []

    def f(value: int) -> int:
        ran.append(value)
        return value

    value = eval(call, {"f": f})
    if hasattr(value, "__next__"):
        value = list(value)
    name = call.partition("(")[0]
    return [] if (name in runners) == bool(ran) else [f"{name}: it runs what is given"]


# -- operators ---------------------------------------------------------------------------

# How `ast` calls an expression -> such expressions; `a` has the methods that the table names.
_OPERATIONS = {
    "Add": "a + 1;1 + a;a += 1",
    "Sub": "a - 1;1 - a;a -= 1",
    "Mult": "a * 1;1 * a;a *= 1",
    "MatMult": "a @ 1;1 @ a;a @= 1",
    "Div": "a / 1;1 / a;a /= 1",
    "FloorDiv": "a // 1;1 // a;a //= 1",
    "Mod": "a % 1;1 % a;a %= 1",
    "Pow": "a ** 1;1 ** a;a **= 1",
    "BitAnd": "a & 1;1 & a;a &= 1",
    "BitOr": "a | 1;1 | a;a |= 1",
    "BitXor": "a ^ 1;1 ^ a;a ^= 1",
    "LShift": "a << 1;1 << a;a <<= 1",
    "RShift": "a >> 1;1 >> a;a >>= 1",
    "USub": "-a",
    "UAdd": "+a",
    "Invert": "~a",
    "Not": "not a",
    "Lt": "a < 1;1 < a",
    "Gt": "a > 1;1 > a",
    "LtE": "a <= 1;1 <= a",
    "GtE": "a >= 1;1 >= a",
    "Eq": "a == 1",
    "NotEq": "a != 1",
    "In": "1 in a",
    "NotIn": "1 not in a",
    "Subscript": "a[0];a[0] = 1;del a[0]",
    "Attribute": "a.missing;a.missing = 1",
    "With": "with a: pass",
    "For": "for b in a: pass",
    "comprehension": "[b for b in a]",
    "Starred": "[*a]",
    "If": "if a: pass",
    "While": "while a: break",
    "IfExp": "1 if a else 2",
    "FormattedValue": "f'{a}';f'{a!r}';f'{a!s}'",
}


@functools.cache
def _called_by(kind: str, methods: tuple[str, ...]) -> set[str]:
    """The special methods that Python calls for a kind of expression."""
    called: set[str] = set()
    every = methods
    # A method that another one stands in for is called where that is not there.
    for has in [every, *((m,) for m in every), *((m, "__iter__") for m in every)]:
        for text in _OPERATIONS[kind].split(";"):
            _run_traced(text, has, called)
    return called


def _run_traced(text: str, has: Iterable[str], called: set[str]) -> None:
    def make(name: str) -> Callable[..., Any]:
        def special(self: Any, *given: Any) -> Any:
            called.add(name)
            if name == "__getattribute__":
                return object.__getattribute__(self, *given)
            if name == "__iter__":
                return self if "__next__" in has else iter([1])
            if name in ("__next__", "__getitem__") and "[0]" not in text:
                raise StopIteration if name == "__next__" else IndexError
            if name in ("__str__", "__repr__", "__format__"):
                return "a"
            return True if name == "__bool__" else 1

        return special

    special = {name: make(name) for name in {*has}}
    if "__enter__" in has or "__exit__" in has:
        for name in ("__enter__", "__exit__"):
            special.setdefault(name, lambda *given: None)
    made = type("A", (), special)()
    try:
        exec(text, {"a": made, "__builtins__": builtins})
    except Exception:
        return


def find_wrong_operators() -> list[str]:
    """Expressions for which Python calls other methods than the tool says, and more."""
    from migrate.tables import host_effects as table

    every = tuple(sorted({n for names in table.OPERATORS.values() for n in names}))
    found = []
    for kind in {*_OPERATIONS, *table.OPERATORS}:
        if kind not in _OPERATIONS or kind not in table.OPERATORS:
            found.append(f"{kind}: no such expression")
            continue
        called = _called_by(kind, tuple(table.OPERATORS[kind]))
        missing = {*table.OPERATORS[kind]} - called
        more = _called_by(kind, every) - {*table.OPERATORS[kind]}
        if missing or more:
            found.append(f"{kind}: calls no {sorted(missing)}, calls {sorted(more)}")
    return found
