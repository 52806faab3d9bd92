"""Lists the reads and changes of what Python keeps: names, attributes, entries, lists.

`counter += 1`, `self.count = 3`, `seen[name] = True` and `stack.pop()` do nothing to a
graph, and what they change is still there when a trace of a step has ended. A trace of the
program (`traces`) tells of each statement and expression as it comes to it.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator, Sequence

from migrate.gates.callees import Callees, Effect
from migrate.gates.conditions import Guard
from migrate.gates.freshness import Freshness
from migrate.gates.origins import is_tensorflow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table

# A name and the scope that owns it; or an attribute's name and None, for every object.
Key = tuple[str, ast.AST | None]
AT_END = "at its end"  # An entry that is new.
_DEPTH = 4  # An object is followed through so many names.


class How(enum.Enum):
    """One kind of access to an object."""

    READ = "read"
    SET = "set"  # The new value does not depend on the one before.
    CHANGE = "change"


@dataclasses.dataclass(frozen=True)
class Access:
    """One access to something that outlives a trace, or may outlive it.

    Attributes:
      keys: the names by which the object is known.
      name: the name in the code.
      text: the code that writes; for a read, the code of its statement.
      object: the code that names the object.
      entry: the code of the one entry that is meant; "" for the whole object.
      loops: the loops around the access.
      of_module: whether the access is outside of all functions.
      step: the traced function that does it; None if none does.
      at_once: whether that function is traced when it is defined.
      lasting: whether the object was there before the trace.
      first: whether it gives an object that is made there its first value.
      of_tensors: whether the value is TensorFlow's.
      part: whether only a part of the object is set.
      unused: whether nothing in the program reaches it.
    """

    keys: frozenset[Key]
    name: str
    how: How
    text: str
    line: int
    guards: tuple[Guard, ...]
    step: ast.AST | None = None
    at_once: bool = False
    lasting: bool = True
    first: bool = False
    of_tensors: bool = False
    part: bool = False
    unused: bool = False
    object: str = ""
    entry: str = ""
    loops: tuple[ast.AST, ...] = ()
    of_module: bool = False


@dataclasses.dataclass
class Place:
    """The point that a trace has reached.

    Attributes:
      step: the traced function that it has entered, if any.
      at_once: whether that function is traced when it is defined.
      entered: the functions that the trace of the step has entered.
      statement: the current statement.
      loops: the loops around it.
    """

    step: ast.AST | None = None
    at_once: bool = False
    entered: frozenset[ast.AST] = frozenset()
    guards: Sequence[Guard] = ()
    unused: bool = False
    statement: ast.stmt | None = None
    loops: Sequence[ast.AST] = ()


class Accesses:
    """Collects the accesses of one module, in the order of its trace."""

    def __init__(self, callees: Callees) -> None:
        self.found: list[Access] = []
        self._callees, self._scopes = callees, callees.scopes
        self._names = self._add_aliases(set(self._find_changed_names()))
        self._fresh: dict[frozenset[ast.AST], Freshness] = {}
        self._texts: dict[ast.AST, str] = {}

    def _find_changed_names(self) -> Iterator[str]:
        """The names that the module changes anywhere. Accesses to other names are not listed."""
        for node in self._scopes.walk():
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                yield from node.names
            elif isinstance(node, (ast.Attribute, ast.Subscript)):
                if not isinstance(node.ctx, ast.Load):
                    yield _find_last_name(node)
            elif isinstance(node, ast.Call):
                yield from map(_find_last_name, _find_changed_by_name(node))
                yield _read_attribute_name(node)
                if isinstance(node.func, ast.Attribute):
                    yield _find_last_name(node.func.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                yield _find_last_name(node.iter)

    def _add_aliases(self, names: set[str]) -> frozenset[str]:
        """Adds to names the names of objects that they may stand for."""
        pairs: list[tuple[str, str]] = []
        for node in self._scopes.walk():
            if isinstance(node, ast.Assign):
                value = _find_last_name(node.value)
                pairs += [(_find_last_name(t), value) for t in node.targets if value]
            elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
                for argument in node.args.args:
                    given = self._callees.origins.find_arguments(node, argument.arg)
                    pairs += [(argument.arg, _find_last_name(value)) for value in given]
        more = True
        while more:
            found = {value for name, value in pairs if name in names} - names - {""}
            names |= found
            more = bool(found)
        return frozenset(names)

    # -- what a trace comes to ---------------------------------------------------------

    def note_read(self, node: ast.expr, place: Place) -> None:
        """Notes the read of an expression; its parts are noted separately."""
        if isinstance(node, ast.NamedExpr):
            self._write(_Write(node.target, node.value, node), place)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            is_read = (
                isinstance(node.ctx, ast.Load) and _find_last_name(node) in self._names
            )
            if is_read and not self._callees.find_path(node):
                self._add(_Write(node, None, node, How.READ), place)

    def note_call(self, call: ast.Call, effect: Effect | None, place: Place) -> None:
        """Notes the known effect of a call whose function is not in this module."""
        partial = self._callees.find_partial(call.func)
        if partial is not None and partial.args:
            # An argument without a name is known by the name of the called function.
            given = [
                a if isinstance(a, (ast.Name, ast.Attribute)) else call.func
                for a in partial.args[1:]
            ]
            given += call.args
            call = _copy(ast.Call(partial.args[0], given, call.keywords), call)
        named = _read_attribute_name(call)
        for changed in self._find_changed_objects(call, effect):
            value = call.args[2] if len(call.args) > 2 else None
            how = How.SET if named and value is not None else How.CHANGE
            self._write(_Write(changed, value, call, how, named, True), place)
        if named in self._names and _find_name(call) in ("getattr", "hasattr"):
            self._add(_Write(call.args[0], None, call, How.READ, named), place)

    def _find_changed_objects(
        self, call: ast.Call, effect: Effect | None
    ) -> list[ast.expr]:
        """Returns the objects that a call changes."""
        found = _find_changed_by_name(call)
        if isinstance(call.func, ast.Attribute) and self._is_of_library(
            call.func.value
        ):
            return []
        if effect is not None and effect.kind is table.Does.OBJECT and not found:
            if isinstance(call.func, ast.Attribute):
                return [call.func.value]
        return found

    def _is_of_library(self, node: ast.expr) -> bool:
        """Whether an object is TensorFlow's, or of a module that the tool writes."""
        if isinstance(node, ast.Name):
            made = [
                getattr(b, "value", None) for b in self._callees.find_bindings(node)
            ]
        elif isinstance(node, ast.Attribute):
            made = [*self._callees.origins.find_attribute_values(node.attr)]
        else:
            return False
        return bool(made) and all(
            isinstance(value, ast.Call)
            and is_tensorflow(self._callees.find_path(value.func))
            for value in made
        )

    def repeat_changes(self, first: int, last: int, place: Place) -> None:
        """Notes the changes of a function again, where it is called another time."""
        self.found += [
            dataclasses.replace(
                access,
                guards=tuple(place.guards),
                step=place.step,
                at_once=place.at_once,
                loops=tuple(place.loops),
            )
            for access in self.found[first:last]
            if access.how is not How.READ and access.lasting
        ]

    def note_statement(self, statement: ast.stmt, place: Place) -> None:
        """Notes a statement, after its expressions were noted."""
        for write in _find_writes(statement):
            self._write(write, place)
        if isinstance(statement, ast.For) and self._is_iterator(statement.iter):
            self._write(
                _Write(statement.iter, None, statement.iter, How.CHANGE, part=True),
                place,
            )

    def _is_iterator(self, node: ast.expr) -> bool:
        """Whether a name stands for an object that can be iterated over only once."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        values = (
            [getattr(b, "value", None) for b in self._callees.find_bindings(node)]
            if isinstance(node, ast.Name)
            else self._callees.origins.find_attribute_values(node.attr)
        )
        return any(map(self._makes_iterator, values))

    def _makes_iterator(self, value: ast.AST | None) -> bool:
        if isinstance(value, ast.GeneratorExp):
            return True
        if not isinstance(value, ast.Call):
            return False
        if (
            self._callees.find_path(value.func).partition(".")[0]
            in table.ITERATOR_MODULES
        ):
            return True
        if _find_name(value) in table.ITERATORS:
            return True
        return any(
            isinstance(node, (ast.Yield, ast.YieldFrom))
            for function in self._callees.find_called_functions(value.func)
            for node in walk_breadth_first(function)
        )

    def _write(self, write: _Write, place: Place) -> None:
        target = write.target
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._write(dataclasses.replace(write, target=element), place)
        elif isinstance(target, ast.Starred):
            self._write(dataclasses.replace(write, target=target.value), place)
        elif isinstance(target, ast.Subscript):
            part = dataclasses.replace(write, target=target.value, part=True)
            self._write(part, place)
        elif self._callees.find_path(target) in table.PATHS:
            return  # An effect of its own.
        elif write.how is How.SET and self._reads(write.value, target, write.name):
            self._add(dataclasses.replace(write, how=How.CHANGE), place)
        else:
            self._add(write, place)

    def _reads(self, value: ast.expr | None, target: ast.expr, name: str) -> bool:
        """Whether a value is computed from something with the name."""
        return value is not None and any(
            (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and _find_last_name(node) == name
                and not self._is_given(node, target)
            )
            or (isinstance(node, ast.Call) and _read_attribute_name(node) == name)
            for node in walk_breadth_first(value)
        )

    def _is_given(self, node: ast.expr, target: ast.expr) -> bool:
        """Whether a name is a parameter and the target an attribute: `self.units = units`."""
        if not isinstance(node, ast.Name) or not isinstance(target, ast.Attribute):
            return False
        bound = self._callees.find_bindings(node)
        return bool(bound) and all(isinstance(b, ast.arg) for b in bound)

    def _add(self, write: _Write, place: Place) -> None:
        target, how = write.target, write.how
        keys = {(write.named, None)} if write.named else self._find_keys(target)
        if not keys or (self._callees.find_path(target) and write.part):
            return
        reads = how is How.READ
        self.found.append(
            Access(
                frozenset(keys),
                write.name,
                how,
                self._spell_node((reads and place.statement) or write.node),
                getattr(write.node, "lineno", 0),
                () if reads else tuple(place.guards),
                place.step,
                place.at_once,
                self._is_lasting(write, place),
                how is How.SET and self._is_first(target),
                not reads and any(map(self._is_of_tensors, write.values)),
                write.part,
                place.unused,
                ast.unparse(target),
                self._find_entry(write),
                tuple(place.loops),
                not reads
                and isinstance(self._scopes.find_scope(target).node, ast.Module),
            )
        )

    def _spell_node(self, node: ast.AST) -> str:
        """Returns the text of a statement; of one with a body, only its head."""
        if node not in self._texts:
            head: ast.AST = node
            if isinstance(node, (ast.For, ast.AsyncFor)):
                head = node.iter
            elif isinstance(node, (ast.If, ast.While)):
                head = node.test
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                head = node.items[0].context_expr
            self._texts[node] = ast.unparse(head)
        return self._texts[node]

    def _find_entry(self, write: _Write) -> str:
        """Returns the one entry of an object that is meant, if it is written out."""
        above = self._scopes.parents.get(write.target)
        if isinstance(above, ast.Subscript) and above.value is write.target:
            key = above.slice
            if isinstance(key, ast.UnaryOp):
                key = key.operand
            return ast.unparse(above.slice) if isinstance(key, ast.Constant) else ""
        call = write.node
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            return AT_END if call.func.attr in ("append", "extend") else ""
        return ""

    # -- what an object is -------------------------------------------------------------

    def _find_keys(self, node: ast.expr, depth: int = 0) -> set[Key]:
        """Returns the names by which an object is known: its own and those it came from."""
        if isinstance(node, ast.Attribute):
            return {(node.attr, None)}
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self._find_keys(node.value, depth)
        if isinstance(node, ast.Call):
            return (
                {(_find_name(node), None)}
                if _find_name(node) in table.NAMESPACES
                else set()
            )
        if not isinstance(node, ast.Name):
            return set()
        owner = self._callees.find_owner(node)
        if owner is None:
            return set()
        if isinstance(owner.node, ast.ClassDef):
            return {(node.id, None)}
        keys: set[Key] = {(node.id, owner.node)}
        if depth < _DEPTH:
            for binding in owner.bindings[node.id]:
                for value in self._find_values(binding, owner.node):
                    keys |= self._find_keys(value, depth + 1)
        return keys

    def _find_values(self, binding: ast.AST, owner: ast.AST) -> list[ast.expr]:
        """Returns the expressions whose object a binding gives to a name."""
        if isinstance(binding, ast.arg):
            return self._callees.origins.find_arguments(owner, binding.arg)
        value = getattr(binding, "value", None)
        if isinstance(binding, (ast.Assign, ast.AnnAssign)) and isinstance(
            value, (ast.Name, ast.Attribute)
        ):
            return [value]
        return []

    def _is_lasting(self, write: _Write, place: Place) -> bool:
        fresh = self._fresh.get(place.entered)
        if fresh is None:
            fresh = self._fresh[place.entered] = Freshness(self._callees, place.entered)
        reads = write.how is How.READ
        if write.part or write.named or reads:
            return not fresh.is_fresh(write.target)
        if isinstance(write.target, ast.Attribute):
            return not fresh.is_fresh(write.target.value)
        assert isinstance(write.target, ast.Name)
        owner = self._callees.find_owner(write.target)
        return owner is not None and not fresh.is_entered(owner.node)

    def _is_first(self, target: ast.expr) -> bool:
        """Whether a module, a class or a new object gets its first value there."""
        scope = self._scopes.find_scope(target).node
        if isinstance(scope, (ast.Module, ast.ClassDef)):
            return True
        return getattr(scope, "name", "") == "__init__"

    def _is_of_tensors(self, value: ast.expr) -> bool:
        if any(
            isinstance(node, ast.Attribute) and node.attr in table.STATIC
            for node in walk_breadth_first(value)
        ):
            return False
        return self._callees.origins.is_of_tensorflow(value)


@dataclasses.dataclass(frozen=True)
class _Write:
    """One write or read of a target.

    Attributes:
      node: the code whose text and line are reported.
      named: the attribute of the target that is meant, if only a string names it.
      part: whether only a part of the target is meant, as an entry.
    """

    target: ast.expr
    value: ast.expr | None
    node: ast.AST
    how: How = How.SET
    named: str = ""
    part: bool = False

    @property
    def name(self) -> str:
        return self.named or _find_last_name(self.target)

    @property
    def values(self) -> list[ast.expr]:
        """Returns the values that the object gets."""
        if self.value is None and isinstance(self.node, ast.Call):
            return [*self.node.args, *(k.value for k in self.node.keywords)]
        return [self.value] if self.value is not None else []


def _find_writes(statement: ast.stmt) -> Iterator[_Write]:
    """Yields the bindings and assignments that a statement itself makes."""
    if isinstance(statement, ast.AugAssign):
        yield _Write(statement.target, statement.value, statement, How.CHANGE)
    elif isinstance(statement, ast.Delete):
        for target in statement.targets:
            yield _Write(target, None, statement, How.CHANGE)
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield _Write(target, statement.value, statement)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield _Write(statement.target, statement.value, statement)
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        yield _Write(statement.target, statement.iter, statement.target)
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        for item in statement.items:
            if item.optional_vars is not None:
                target = item.optional_vars
                yield _Write(target, item.context_expr, target)


def _find_name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _find_last_name(node: ast.AST) -> str:
    """Returns the last name of the object that an expression gives."""
    while not isinstance(node, (ast.Name, ast.Attribute)):
        if isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call):
            return _find_name(node)
        else:
            return ""
    return node.id if isinstance(node, ast.Name) else node.attr


def _read_attribute_name(call: ast.Call) -> str:
    """Returns the attribute that `setattr(object, "name", value)` or a similar call names."""
    if (
        _find_name(call) in ("delattr", "getattr", "hasattr", "setattr")
        and len(call.args) > 1
    ):
        named = call.args[1]
        if isinstance(named, ast.Constant) and isinstance(named.value, str):
            return named.value
    return ""


def _find_changed_by_name(call: ast.Call) -> list[ast.expr]:
    """Returns the objects that a call changes, judged by the name of the called function."""
    out = [keyword.value for keyword in call.keywords if keyword.arg == "out"]
    called = call.func
    if isinstance(called, ast.Name):
        changing = table.CONSUMING | table.CHANGING_FUNCTIONS
        return out + (call.args[:1] if called.id in changing else [])
    if not isinstance(called, ast.Attribute):
        return out
    if called.attr in table.CHANGING_FUNCTIONS and call.args:
        return out + call.args[:1]
    if called.attr in table.STATEFUL_METHODS:
        if isinstance(called.value, ast.Name) and called.value.id in table.MAKERS:
            return out + call.args[:1]  # `list.append(found, 1)`
        return [*out, called.value]
    return out


def _copy(node: ast.Call, place: ast.Call) -> ast.Call:
    return ast.copy_location(node, place)
