"""One call replaced by the body of what it calls, as text.

Comments, formatting and names of the body survive; parameters become the
arguments, names that would clash are renamed, a `return` in tail position becomes
the assignment that the call's statement was.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.changed_values import ChangedValues
from migrate.facts.defaults import differs_at_call
from migrate.facts.fall_through import returns
from migrate.facts.kept_functions import find_names_kept
from migrate.facts.late_attributes import find_late_test
from migrate.facts.scopes import Scope, Scopes
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, list_children, walk_breadth_first

# Expressions that need no parentheses in the place of a call.
_PRIMARY = (
    ast.Attribute,
    ast.Call,
    ast.Constant,
    ast.Dict,
    ast.List,
    ast.Name,
    ast.Set,
    ast.Subscript,
)


_ITSELF = re.compile(r"\s*(\w+(?:, \w+)*) = (?:\1|\(\1\)|\[\1\])\s*")


class NotInlinable(Exception):
    """The call has to stay; the message says why."""


@dataclasses.dataclass(frozen=True)
class Instance:
    """An object whose attributes have become plain names.

    Attributes:
      owner: its class's name.
      constants: what the class's body binds.
      attributes: attribute -> name.
      methods: names of its methods, which it may give to attributes as well.
      late: attributes that the object does not have at first: their names hold None then.
    """

    owner: str
    constants: frozenset[str]
    attributes: Mapping[str, str]
    methods: frozenset[str]
    late: frozenset[str] = frozenset()

    def find_name(self, node: ast.Attribute, parent: ast.AST) -> str | None:
        """Returns the name of an attribute; None for a method that is called."""
        called = isinstance(parent, ast.Call) and parent.func is node
        if called and node.attr in self.methods:
            return None
        return self.attributes.get(node.attr)


@dataclasses.dataclass(frozen=True, eq=False)
class Call:
    """A call in the driver that is to be inlined.

    Attributes:
      statement: the simple statement it stands in.
      call: the call.
      callee: the function or method.
      receiver: for a method, the name of the object it is called on.
      instance: for a method, the object; None keeps `self` as it is.
      title: how a comment names the callee.
      wishes: names for parameters whose arguments are expressions.
      first: lines that go before the body.
    """

    statement: ast.stmt
    call: ast.Call
    callee: ast.FunctionDef
    receiver: str | None
    instance: Instance | None
    title: str
    wishes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    first: tuple[str, ...] = ()


class Inliner:
    """Inlines calls in one driver.

    Args:
      taken: names that the driver's scope uses; grows by those that are given.
      shadowing: names the driver binds itself; in it, a module's name of the same
        spelling is hidden.
      changed: which values a call of the function may change.
    """

    def __init__(
        self,
        text: Text,
        scopes: Scopes,
        taken: set[str],
        shadowing: frozenset[str],
        changed: ChangedValues | None = None,
    ) -> None:
        self._text = text
        self._scopes = scopes
        self._taken = taken
        self._shadowing = shadowing
        self._changed = changed

    def inline_statement(self, found: Call) -> Text:
        """The text with the call's statement replaced by the callee's body.

        Raises:
          NotInlinable: the body or the call is of another shape.
        """
        text, statement, callee = self._text, found.statement, found.callee
        if not text.is_alone(statement):
            raise NotInlinable("the call shares its line with other code")
        body = _drop_docstring(callee.body)
        target = self._spell_target(found)
        prefix, edits = self._rename_locals(found, body)
        edits += self._edit_returns(body, target)
        inside = names.walk_scope_of_function(callee)
        edits += [Edit(n, "") for n in inside if isinstance(n, ast.Global)]
        first = (
            (callee.body[0].end_lineno or 0) + 1
            if body != callee.body
            else (_find_header_end(callee) + 1)
        )
        last = body[-1].end_lineno or 0 if body else first - 1
        if body and body[0].lineno == callee.lineno:
            raise NotInlinable("the function is written on one line")
        changed = text.apply_edits(edits)
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        own = callee.body[0].col_offset
        verbatim = (
            set().union(*[find_lines_inside_strings(s) for s in body])
            if body
            else set()
        )
        here = text.origins[statement.lineno - 1]
        lines = [f"{indent}# From {found.title}:"]
        origins = [here]
        for line in [*found.first, *prefix]:
            lines.append(indent + line)
            origins.append(here)
        for number in range(first, last + 1):
            line = changed.lines[number - 1]
            if number not in verbatim:
                line = indent + line[own:] if line.strip() else ""
                if not changed.lines[number - 1][:own].strip() == "":
                    line = indent + changed.lines[number - 1].lstrip()
                if not line.strip() and text.lines[number - 1].strip():
                    continue  # A line that an edit has emptied.
                if _ITSELF.fullmatch(line):
                    continue  # `self.server = server`, when both are one name.
            lines.append(line.rstrip() if number not in verbatim else line)
            origins.append(text.origins[number - 1])
        if target and not returns(body):
            lines.append(f"{indent}{target} = None")
            origins.append(here)
        if not any(line.strip() and line.strip()[0] != "#" for line in lines):
            # Nothing is left, and the suite may have nothing else.
            lines.append(f"{indent}pass")
            origins.append(here)
        return text.splice(statement.lineno, statement.end_lineno or 0, lines, origins)

    def inline_expression(self, found: Call) -> Text:
        """The text with a call replaced by the one expression its callee returns."""
        body = _drop_docstring(found.callee.body)
        if (
            len(body) != 1
            or not isinstance(body[0], ast.Return)
            or body[0].value is None
        ):
            raise NotInlinable("the function does more than return an expression")
        prefix, edits = self._rename_locals(found, body)
        if prefix:
            raise NotInlinable("an argument needs a statement of its own")
        value = body[0].value
        changed = self._text.apply_edits([e for e in edits if e.node is not value])
        whole = [e for e in edits if e.node is value]
        new = whole[0].new if whole else _join_lines(changed, value, self._text)
        if not isinstance(value, _PRIMARY):
            new = f"({new})"
        return self._text.apply_edits([Edit(found.call, new)])

    # -- the parts ------------------------------------------------------------------

    def _spell_target(self, found: Call) -> str:
        statement = found.statement
        if found.callee.name == "__init__":
            return ""
        if isinstance(statement, ast.Assign):
            return " = ".join(self._join_lines(t) for t in statement.targets)
        if isinstance(statement, ast.AnnAssign):
            return self._join_lines(statement.target)
        if isinstance(statement, ast.Expr):
            return ""
        raise NotInlinable("the call's value is used in a larger statement")

    def _join_lines(self, target: ast.expr) -> str:
        lines = self._text.find_segment(target).split("\n")
        return " ".join(line.strip().rstrip("\\").rstrip() for line in lines)

    def _rename_locals(
        self, found: Call, body: list[ast.stmt]
    ) -> tuple[list[str], list[Edit]]:
        """Assignments of arguments, and the edits that give the body its new names."""
        callee = found.callee
        scope = self._scopes.scope_by_node[callee]
        self._check(callee)
        parameters = [a.arg for a in [*callee.args.posonlyargs, *callee.args.args]]
        only = [a.arg for a in callee.args.kwonlyargs]
        rename: dict[str, str] = {}
        own = ""
        static = any(ast.unparse(d) == "staticmethod" for d in callee.decorator_list)
        if found.receiver is not None and parameters and not static:
            own = parameters.pop(0)
        more = self._list_more_arguments(found, parameters)
        others = self._list_other_keywords(found, {*parameters, *only})
        call = ast.Call(
            found.call.func,
            found.call.args[: len(found.call.args) - len(more)],
            [k for k in found.call.keywords if k.arg not in others],
        )
        bound = names.bind_arguments(call, tuple([*parameters, *only]))
        if bound is None:
            raise NotInlinable("the arguments cannot be told apart")
        bound.update(more)
        bound.update(others)
        defaults = _map_defaults(callee)
        nested = find_names_bound_within(callee)
        changed = self._changed or ChangedValues(self._scopes, callee)
        prefix: list[str] = []
        given = [*parameters, *only, *more, *others]
        # The caller computes its arguments in the order in which it writes them.
        given.sort(key=lambda p: _find_place(bound[p]) if p in bound else (0, 0))
        for parameter in given:
            value = bound.get(parameter, defaults.get(parameter))
            if value is None:
                raise NotInlinable(f"no value for the parameter {parameter}")
            if parameter not in bound and differs_at_call(
                self._scopes, callee, parameter, value
            ):
                raise NotInlinable("a default value may be another one at the call")
            rebound = len(scope.bindings.get(parameter, [])) > 1
            text = self._text.find_segment(value)
            plain = isinstance(value, ast.Constant) or (
                names.find_key(value) is not None
                and not names.find_reads(value) & nested
                and not changed.may_change(value)
            )
            if plain and not rebound and "\n" not in text:
                rename[parameter] = text
                continue
            name = found.wishes.get(parameter) or self._choose_free_name(
                parameter, found
            )
            rename[parameter] = name
            flat = " ".join(line.strip() for line in text.split("\n"))
            if "#" in flat or ("\n" in text and find_lines_inside_strings(value)):
                raise NotInlinable("an argument with a comment inside")
            prefix.append(f"{name} = {flat}")
        if callee.args.kwarg is not None:
            name = self._choose_free_name(callee.args.kwarg.arg, found)
            shown = ", ".join(f'"{key}": {rename.pop(key)}' for key in others)
            rename[callee.args.kwarg.arg] = name
            prefix.append(f"{name} = {{{shown}}}")
        if self._is_in_loop(found.statement) and find_names_kept(self._scopes, callee):
            raise NotInlinable("each call has names of its own that functions keep")
        rename.update(self._map_results(found, body, scope, rename))
        for name, bindings in scope.bindings.items():
            if name in rename or name in parameters or name in only or name == own:
                continue
            if more and name == getattr(callee.args.vararg, "arg", None):
                continue
            if name in scope.outer_names:
                raise NotInlinable("the function assigns a global name")
            if self._is_same_import(name, bindings, found):
                continue
            new = self._choose_free_name(name, found)
            if new != name:
                if any(
                    isinstance(b, (ast.ClassDef, ast.Import, ast.ImportFrom))
                    for b in bindings
                ):
                    raise NotInlinable(f"the program has another `{name}`")
                rename[name] = new
        edits: list[Edit] = []
        for statement in body:
            edits += self._edit_names(statement, scope, rename, own, found)
        shown = ", ".join(rename[name] for name in more)
        edits += [Edit(node, shown) for node in self._find_starred(callee)]
        return prefix, edits

    def _list_more_arguments(
        self, found: Call, parameters: list[str]
    ) -> dict[str, ast.expr]:
        """Maps names to the arguments that `*args` of the callee takes."""
        vararg = found.callee.args.vararg
        if vararg is None:
            return {}
        more = found.call.args[len(parameters) :]
        if not more or any(isinstance(a, ast.Starred) for a in found.call.args):
            raise NotInlinable("the function takes any number of arguments")
        uses = [
            node
            for node in walk_breadth_first(found.callee)
            if isinstance(node, ast.Name) and node.id == vararg.arg
        ]
        if len(uses) != len(self._find_starred(found.callee)):
            raise NotInlinable("the function takes any number of arguments")
        return {f"{vararg.arg}_{at}": value for at, value in enumerate(more)}

    def _list_other_keywords(
        self, found: Call, parameters: set[str]
    ) -> dict[str, ast.expr]:
        """Maps names to the arguments that `**kwargs` of the callee takes."""
        if found.callee.args.kwarg is None:
            return {}
        others = {
            k.arg: k.value for k in found.call.keywords if k.arg not in parameters
        }
        inside = find_plain_names(found.callee) | {
            a.arg
            for a in walk_breadth_first(found.callee.args)
            if isinstance(a, ast.arg)
        }
        if None in others or inside & others.keys():
            raise NotInlinable("the function takes any keywords")
        return {key: value for key, value in others.items() if key is not None}

    def _find_starred(self, callee: ast.FunctionDef) -> list[ast.Starred]:
        """Finds `f(*args)`, where the callee passes on what `*args` takes."""
        vararg = callee.args.vararg
        return [
            node
            for node in walk_breadth_first(callee)
            if vararg is not None
            and isinstance(node, ast.Starred)
            and isinstance(node.value, ast.Name)
            and node.value.id == vararg.arg
            and isinstance(call := self._scopes.parents[node], ast.Call)
            and node in call.args
        ]

    def _is_in_loop(self, node: ast.AST) -> bool:
        """Whether a statement of the driver may run more than once."""
        driver = self._scopes.find_scope(node).node
        while node is not driver:
            if isinstance(node, (ast.For, ast.While)):
                return True
            node = self._scopes.parents[node]
        return False

    def _is_same_import(self, name: str, bindings: list[ast.AST], found: Call) -> bool:
        """Whether a name that the callee imports means that, or nothing, in the driver."""
        if not all(isinstance(b, (ast.Import, ast.ImportFrom)) for b in bindings):
            return False
        driver = self._scopes.find_scope(found.statement)
        before = driver.bindings.get(name, [])
        if before:
            return {ast.dump(b) for b in before} == {ast.dump(b) for b in bindings}
        return not any(
            isinstance(node, ast.Name)
            and node.id == name
            and self._find_owner(node) in (driver, self._scopes.module, None)
            for node in self._scopes.walk()
        )

    def _map_results(
        self,
        found: Call,
        body: list[ast.stmt],
        scope: Scope,
        rename: Mapping[str, str],
    ) -> dict[str, str]:
        """Locals that are returned, by the names that the caller gives the results.

        Only where the body knows nothing else under those names.
        """
        statement = found.statement
        match _list_tails(body):
            case [ast.Return(value=ast.expr() as value)]:
                results = _list_elements(value)
            case _:
                return {}
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
            return {}
        targets = _list_elements(statement.targets[0])
        if len(results) != len(targets):
            return {}
        known = {
            *rename.values(),
            *(found.instance.attributes.values() if found.instance else ()),
        }
        for node in walk_breadth_first(found.callee):
            if isinstance(node, ast.Name) and self._find_owner(node) is not scope:
                known.add(node.id)
        given: dict[str, str] = {}
        for local, target in zip(results, targets):
            if not (isinstance(local, ast.Name) and isinstance(target, ast.Name)):
                continue
            roots = {text.split(".")[0] for text in known}
            if (
                local.id in scope.bindings
                and local.id not in rename
                and local.id not in given
                and target.id not in roots
                and target.id not in given.values()
                and (target.id == local.id or target.id not in scope.bindings)
                and not any(isinstance(b, ast.arg) for b in scope.bindings[local.id])
            ):
                given[local.id] = target.id
        return given

    def _edit_names(
        self,
        statement: ast.stmt,
        scope: Scope,
        rename: dict[str, str],
        own: str,
        found: Call,
    ) -> list[Edit]:
        edits: list[Edit] = []
        stack: list[ast.AST] = [statement]
        while stack:
            node = stack.pop()
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == own
                and own
                and self._find_owner(node.value) is scope
            ):
                edits += self._edit_attribute(node, found)
                continue
            if found.instance is not None and own:
                late = find_late_test(node, own)
                if late in found.instance.late:
                    name = found.instance.attributes[late]
                    given = "is" if isinstance(node, ast.UnaryOp) else "is not"
                    edits.append(Edit(node, f"{name} {given} None"))
                    continue
            if isinstance(node, ast.ExceptHandler) and node.name in rename:
                edits.append(Edit(self._find_error_name(node), rename[node.name]))
            if isinstance(node, ast.FunctionDef) and node.name in rename:
                if node in scope.bindings.get(node.name, ()):
                    edits.append(Edit(_find_function_name(node), rename[node.name]))
            if isinstance(node, ast.Name):
                if node.id == own and own and self._find_owner(node) is scope:
                    if found.instance is not None:
                        raise NotInlinable("the object itself is passed on")
                    if found.receiver != own:
                        edits.append(Edit(node, found.receiver or own))
                    continue
                if node.id in rename and self._find_owner(node) is scope:
                    edits.append(Edit(node, rename[node.id]))
                    continue
                if (
                    self._find_owner(node) is self._scopes.module
                    and node.id in self._shadowing
                ):
                    raise NotInlinable(f"`{node.id}` means another thing in the driver")
            stack.extend(list_children(node))
        return edits

    def _find_error_name(self, handler: ast.ExceptHandler) -> ast.AST:
        """Returns a node at the place of `error` in `except OSError as error:`."""
        assert handler.name is not None and handler.type is not None
        line, column = handler.type.end_lineno or 0, handler.type.end_col_offset or 0
        rest = self._text.lines[line - 1].encode()[column:]
        between = re.match(rb"[\s)]*as\s+", rest)
        if between is None:
            raise NotInlinable("an `except` over several lines")
        name = ast.Name(handler.name)
        name.lineno = name.end_lineno = line
        name.col_offset = column + between.end()
        name.end_col_offset = name.col_offset + len(handler.name.encode())
        return name

    def _find_owner(self, node: ast.Name) -> Scope | None:
        return self._scopes.find_scope(node).find_owner(node.id)

    def _edit_attribute(self, node: ast.Attribute, found: Call) -> list[Edit]:
        if found.instance is None:
            return [Edit(node.value, found.receiver or "")]
        name = found.instance.find_name(node, self._scopes.parents[node])
        if name is not None:
            return [Edit(node, name)]
        if node.attr in found.instance.constants:
            return [Edit(node.value, found.instance.owner)]
        return [Edit(node.value, found.receiver or "")]  # A method: inlined next.

    def _check(self, callee: ast.FunctionDef) -> None:
        if {ast.unparse(d) for d in callee.decorator_list} - {"staticmethod"}:
            raise NotInlinable("the function is decorated")
        shared: set[str] = set()
        for node in names.walk_scope_of_function(callee):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.Nonlocal)):
                raise NotInlinable("the function is a generator or rebinds outer names")
            shared.update(node.names if isinstance(node, ast.Global) else ())
        if any(shared & names.find_binds(s) for s in callee.body):
            raise NotInlinable("the function assigns a global name")

    def _choose_free_name(self, name: str, found: Call) -> str:
        if name == "_" or name not in self._taken:
            self._taken.add(name)
            return name
        base = f"{found.callee.name.strip('_')}_{name}"
        if found.callee.name == "__init__":
            base = f"{found.receiver}_{name}"
        candidate, number = base, 2
        while candidate in self._taken:
            candidate, number = f"{base}_{number}", number + 1
        self._taken.add(candidate)
        return candidate

    def _edit_returns(self, body: list[ast.stmt], target: str) -> list[Edit]:
        """`return x` in tail position becomes `target = x`."""
        tails = set(_list_tails(body))
        edits: list[Edit] = []
        for statement in body:
            for node in names.walk_scope(statement):
                if not isinstance(node, ast.Return):
                    continue
                if node not in tails:
                    raise NotInlinable("the function returns early")
                edits.append(self._edit_return(node, target))
        return edits

    def _edit_return(self, node: ast.Return, target: str) -> Edit:
        keyword = ast.Constant(None)  # A node of the keyword's place alone.
        keyword.lineno = keyword.end_lineno = node.lineno
        keyword.col_offset = node.col_offset
        keyword.end_col_offset = node.col_offset + len("return ")
        if node.value is None:
            keyword.end_col_offset -= 1
            return Edit(keyword, f"{target} = None" if target else "pass")
        if node.value.lineno != node.lineno:
            raise NotInlinable("a returned value on a line of its own")
        if target:
            return Edit(keyword, f"{target} = ")
        return Edit(keyword, "")


def _find_place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _find_function_name(function: ast.FunctionDef) -> ast.AST:
    """Returns a node at the place of a function's name in its `def`."""
    name = ast.Name(function.name)
    name.lineno = name.end_lineno = function.lineno
    name.col_offset = function.col_offset + len("def ")
    name.end_col_offset = name.col_offset + len(function.name.encode())
    return name


def _list_elements(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else [node]


def find_names_bound_within(callee: ast.FunctionDef) -> set[str]:
    """Names that functions and comprehensions inside the callee bind for themselves."""
    found: set[str] = set()
    for node in walk_breadth_first(callee):
        if node is callee:
            continue
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            found |= {
                a.arg for a in walk_breadth_first(node.args) if isinstance(a, ast.arg)
            }
            found |= find_plain_names(node, ast.Store)
        elif isinstance(node, ast.comprehension):
            found |= find_plain_names(node.target)
    return found


def _drop_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    value = getattr(body[0], "value", None) if isinstance(body[0], ast.Expr) else None
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return body[1:] if is_text else body


def _find_header_end(callee: ast.FunctionDef) -> int:
    """The last line of the `def`, which ends where its body's comments begin."""
    inside = [callee.args, *([callee.returns] if callee.returns else [])]
    ends = [
        getattr(n, "end_lineno", callee.lineno) or callee.lineno
        for top in inside
        for n in walk_breadth_first(top)
        if hasattr(n, "end_lineno")
    ]
    return max([callee.lineno, *ends])


def _list_tails(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements after which the function ends."""
    if not body:
        return []
    last = body[-1]
    if isinstance(last, ast.If):
        return [*_list_tails(last.body), *_list_tails(last.orelse)]
    if isinstance(last, ast.With):
        return _list_tails(last.body)
    return [last]


def _map_defaults(callee: ast.FunctionDef) -> dict[str, ast.expr]:
    arguments = callee.args
    positional = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
    count = len(arguments.defaults)
    found = dict(zip(positional[len(positional) - count :], arguments.defaults))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is not None:
            found[argument.arg] = default
    return found


def _join_lines(changed: Text, value: ast.expr, before: Text) -> str:
    """An edited expression as one line."""
    first, last = value.lineno, value.end_lineno or value.lineno
    if find_lines_inside_strings(value):
        raise NotInlinable("a string of several lines")
    start = before.find_column(first, value.col_offset)
    tail = len(before.lines[last - 1]) - before.find_column(
        last, value.end_col_offset or 0
    )
    lines = [line for line in changed.lines[first - 1 : last]]
    lines[-1] = lines[-1][: len(lines[-1]) - tail] if tail else lines[-1]
    lines[0] = lines[0][start:]
    if any("#" in line for line in lines):
        raise NotInlinable("a comment inside the expression")
    return " ".join(line.strip() for line in lines if line.strip())
