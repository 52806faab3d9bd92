"""TF1 to TF1: a class with what it inherits from classes of the file.

    class BaseModel(object):                  class Model(object):
        def __init__(self, config):               def __init__(self, config):
            self.config = config                      self._base_model_init(config)
                                                      self.build()
    class Model(BaseModel):
        def __init__(self, config):               def _base_model_init(self, config):
            super(Model, self).__init__(config)       self.config = config
            self.build()

Where the graph is built in methods, what a method is has to be seen in one class. Only
single inheritance is read, and classes that nothing but their subclasses names.
"""

from __future__ import annotations

import ast
import builtins
import re

from migrate.facts.names import is_bare_constant
from migrate.normalise.calls.inliner import Call, Inliner, NotInlinable
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

_ROUNDS = 50
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def flatten_classes(text: Text) -> Text:
    """The text with such classes written out; the same text if there are none."""
    for _ in range(_ROUNDS):
        if "super" not in text.source and "class" not in text.source:
            break
        new = _Classes(text).rewrite_next()
        if new is None:
            break
        text = new
    return text


class _Unclear(Exception):
    """The class inherits in a way that is not understood; it stays as it is."""


class _Classes(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._classes = {
            s.name: s
            for s in self._tree.body
            if isinstance(s, ast.ClassDef)
            and len(self._scopes.module.bindings[s.name]) == 1
        }

    def rewrite_next(self) -> Text | None:
        """Writes out one more class with its base; None if none is left."""
        for owner in self._classes.values():
            base = self._find_base(owner)
            if base is None or self._find_base(base) is not None:
                continue
            try:
                return self._write_out_base(owner, base)
            except _Unclear:
                continue
        return None

    def _find_base(self, owner: ast.ClassDef) -> ast.ClassDef | None:
        """The one class of the file that a class inherits from."""
        if len(owner.bases) != 1 or not isinstance(owner.bases[0], ast.Name):
            return None
        return self._classes.get(owner.bases[0].id)

    def _write_out_base(self, owner: ast.ClassDef, base: ast.ClassDef) -> Text:
        """A class with its base's members in it.

        Raises:
          _Unclear: something else is done with one of the two.
        """
        for one in (owner, base):
            if one.keywords or one.decorator_list or one.body[0].lineno == one.lineno:
                raise _Unclear
            self._check(one)
        if base.bases and ast.unparse(base.bases[0]) != "object" or len(base.bases) > 1:
            raise _Unclear
        self._check_uses(base)
        constructed = self._inline_constructor(owner, base)
        if constructed is not None:
            return constructed
        own = _map_members(owner)
        inherited = _map_members(base)
        edits, renamed = self._edit_base_calls(owner, base, own, inherited)
        lines: list[str] = []
        origins: list[int] = []
        for name, member in inherited.items():
            new = renamed.get(name)
            if name in own and new is None:
                continue
            more, where = self._write_lines(member, owner, base, name, new)
            if lines or isinstance(member, ast.FunctionDef):
                more, where = ["", *more], [where[0], *where]
            lines += more
            origins += where
        edits.append(Edit(owner.bases[0], "object"))
        text = self._text.apply_edits(edits)
        end = owner.end_lineno or owner.lineno
        text = text.splice(end + 1, end, lines, origins)
        return self._drop_unused_class(text, base.name)

    def _inline_constructor(
        self, owner: ast.ClassDef, base: ast.ClassDef
    ) -> Text | None:
        """Writes the base's constructor into the class's own, in place of its call.

        None if there is no such call, or it has to stay a call.
        """
        mine, theirs = (
            _map_members(owner).get("__init__"),
            _map_members(base).get("__init__"),
        )
        if not isinstance(mine, ast.FunctionDef) or not isinstance(
            theirs, ast.FunctionDef
        ):
            return None
        for statement in mine.body:
            call = getattr(statement, "value", None)
            if not (
                isinstance(statement, ast.Expr)
                and isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == "__init__"
                and isinstance(call.func.value, ast.Call)
                and ast.unparse(call.func.value)
                in ("super()", f"super({owner.name}, {self._find_own_name(call)})")
            ):
                continue
            scope = self._scopes.scope_by_node[mine]
            taken = find_plain_names(mine)
            taken |= set(dir(builtins)) | set(self._scopes.module.bindings)
            taken |= set(scope.bindings)
            shadowing = frozenset(scope.bindings)
            inliner = Inliner(self._text, self._scopes, taken, shadowing)
            title = f"{base.name}.__init__"
            receiver = self._find_own_name(call)
            try:
                return inliner.inline_statement(
                    Call(statement, call, theirs, receiver, None, title)
                )
            except NotInlinable:
                return None
        return None

    def _check(self, owner: ast.ClassDef) -> None:
        """Refuses a class with members other than plain ones.

        Raises:
          _Unclear: a member is made in another way, or its name is the class's own.
        """
        for member in owner.body:
            plain = isinstance(member, (ast.FunctionDef, ast.Pass)) or (
                isinstance(member, ast.Assign)
                and len(member.targets) == 1
                and isinstance(member.targets[0], ast.Name)
            )
            if not (plain or is_bare_constant(member)):
                raise _Unclear
            if isinstance(member, ast.FunctionDef) and any(
                ast.unparse(d) not in ("property", "staticmethod", "abc.abstractmethod")
                and ast.unparse(d) != "abstractmethod"
                for d in member.decorator_list
            ):
                raise _Unclear
        names = [m for m in owner.body if isinstance(m, ast.FunctionDef)]
        if len({m.name for m in names}) != len(names):
            raise _Unclear
        for node in walk_breadth_first(owner):
            name = node.attr if isinstance(node, ast.Attribute) else ""
            name = node.id if isinstance(node, ast.Name) else name
            if name.startswith("__") and not name.endswith("__"):
                raise _Unclear  # It has the class's name in it.
            if name in ("__class__", "__bases__", "__mro__"):
                raise _Unclear

    def _check_uses(self, base: ast.ClassDef) -> None:
        """Refuses a base class that code other than its subclasses uses.

        Raises:
          _Unclear: the base is called, compared or passed to other code.
        """
        for node in walk_breadth_first(self._tree):
            if not (isinstance(node, ast.Name) and node.id == base.name):
                continue
            parent = self._scopes.parents[node]
            if isinstance(parent, ast.ClassDef) and node in parent.bases:
                continue
            if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "super":
                continue
            above = self._scopes.parents.get(parent)
            if (
                isinstance(parent, ast.Attribute)
                and isinstance(above, ast.Call)
                and above.func is parent
                and above.args
                and isinstance(above.args[0], ast.Name)
                and above.args[0].id == "self"
            ):
                continue  # `Base.__init__(self, ...)`.
            raise _Unclear

    def _edit_base_calls(
        self,
        owner: ast.ClassDef,
        base: ast.ClassDef,
        own: dict[str, ast.stmt],
        inherited: dict[str, ast.stmt],
    ) -> tuple[list[Edit], dict[str, str]]:
        """The edits of `super().method(...)`, and the names of what they call.

        Raises:
          _Unclear: `super` is used otherwise.
        """
        edits: list[Edit] = []
        renamed: dict[str, str] = {}
        for node in walk_breadth_first(owner):
            if not (isinstance(node, ast.Name) and node.id in ("super", base.name)):
                continue
            parent = self._scopes.parents[node]
            if node in owner.bases:
                continue
            receiver: ast.AST = node
            if node.id == "super":
                if not isinstance(parent, ast.Call) or parent.func is not node:
                    raise _Unclear
                shown = [ast.unparse(a) for a in parent.args]
                if shown[:1] == [base.name]:  # The base's own, brought here.
                    edits.append(self._drop_object_constructor(parent))
                    continue
                if shown and shown != [owner.name, self._find_own_name(node)]:
                    raise _Unclear
                receiver = parent
            method = self._scopes.parents[receiver]
            call = self._scopes.parents.get(method)
            if not (
                isinstance(method, ast.Attribute)
                and isinstance(call, ast.Call)
                and call.func is method
            ):
                raise _Unclear
            member = inherited.get(method.attr)
            if member is None and method.attr == "__init__":
                statement = self._scopes.parents[call]
                if not isinstance(statement, ast.Expr):
                    raise _Unclear
                edits.append(Edit(call, "pass"))
                continue
            if not isinstance(member, ast.FunctionDef) or member.decorator_list:
                raise _Unclear
            name = method.attr
            if name in own:
                if name not in renamed:
                    renamed[name] = self._choose_free_name(
                        base.name, name, {*own, *inherited}
                    )
                name = renamed[name]
            edits.append(Edit(method, f"{self._find_own_name(node)}.{name}"))
            if node.id != "super":
                edits += self._drop_first_argument(call)
        return edits, renamed

    def _drop_object_constructor(self, parent: ast.Call) -> Edit:
        """`super(Base, self).__init__()` of a class that inherits from none.

        Raises:
          _Unclear: it calls something else.
        """
        method = self._scopes.parents[parent]
        whole = self._scopes.parents[method]
        if not (
            isinstance(method, ast.Attribute)
            and method.attr == "__init__"
            and isinstance(whole, ast.Call)
            and not whole.args
            and isinstance(self._scopes.parents[whole], ast.Expr)
        ):
            raise _Unclear
        return Edit(whole, "pass")

    def _drop_first_argument(self, call: ast.Call) -> list[Edit]:
        """`Base.__init__(self, x)` as a method's call: its first argument goes.

        Raises:
          _Unclear: the arguments are on several lines.
        """
        rest = [*call.args[1:], *[k.value for k in call.keywords]]
        span = ast.Constant(None)
        first = call.args[0]
        span.lineno, span.col_offset = first.lineno, first.col_offset
        last: ast.AST = call.args[1] if len(call.args) > 1 else first
        if len(call.args) == 1 and call.keywords:
            last = call.keywords[0]
        if getattr(last, "lineno", 0) != first.lineno:
            raise _Unclear
        if not rest:
            return [Edit(first, "")]
        span.end_lineno = last.lineno  # type: ignore[attr-defined]
        span.end_col_offset = last.col_offset  # type: ignore[attr-defined]
        return [Edit(span, "")]

    def _find_own_name(self, node: ast.AST) -> str:
        """Returns the method's name for its object, such as `self`, at a node."""
        while not isinstance(node, ast.FunctionDef):
            if isinstance(node, ast.Module):
                raise _Unclear
            node = self._scopes.parents[node]
        if not node.args.args:
            raise _Unclear
        return node.args.args[0].arg

    def _choose_free_name(self, base: str, method: str, taken: set[str]) -> str:
        name = f"_{_WORD.sub('_', base).lower()}_{method.strip('_')}"
        while name in taken or name in self._text.source:
            name += "_"
        return name

    def _write_lines(
        self,
        member: ast.stmt,
        owner: ast.ClassDef,
        base: ast.ClassDef,
        name: str,
        new: str | None,
    ) -> tuple[list[str], list[int]]:
        """A member's lines as they stand in the subclass.

        Raises:
          _Unclear: it calls its own base in another way than to construct it.
        """
        text = self._text
        edits: list[Edit] = []
        for node in walk_breadth_first(member):
            if isinstance(node, ast.Name) and node.id == "super":
                call = self._scopes.parents[node]
                if not isinstance(call, ast.Call):
                    raise _Unclear
                edits.append(self._drop_object_constructor(call))
        text = text.apply_edits(edits)
        decorators = getattr(member, "decorator_list", [])
        first = min([member.lineno, *[d.lineno for d in decorators]])
        last = member.end_lineno or member.lineno
        while text.lines[first - 2].strip().startswith("#") and first - 2 > base.lineno:
            first -= 1
        verbatim = find_lines_inside_strings(member)
        mine = owner.body[0].col_offset
        theirs = base.body[0].col_offset
        lines: list[str] = []
        for number in range(first, last + 1):
            line = text.lines[number - 1]
            if number not in verbatim and line.strip():
                if line[:theirs].strip():
                    raise _Unclear
                line = " " * mine + line[theirs:]
            lines.append(line)
        if new is not None:
            at = member.lineno - first
            head = re.sub(
                rf"\bdef {re.escape(name)}\b", f"def {new}", lines[at], count=1
            )
            if head == lines[at]:
                raise _Unclear
            lines[at] = head
        return lines, [text.origins[n - 1] for n in range(first, last + 1)]

    def _drop_unused_class(self, text: Text, name: str) -> Text:
        """The text without a class, where nothing names it any more."""
        tree = parse_source(text.source)
        uses = [
            n
            for n in walk_breadth_first(tree)
            if isinstance(n, ast.Name) and n.id == name
        ]
        inside = [
            (s, set(walk_breadth_first(s)))
            for s in tree.body
            if isinstance(s, ast.ClassDef) and s.name == name
        ]
        if not inside or any(use not in inside[0][1] for use in uses):
            return text
        owner = inside[0][0]
        last = owner.end_lineno or owner.lineno
        while last < len(text.lines) and not text.lines[last].strip():
            last += 1
        return text.splice(owner.lineno, last, [], [])


def _map_members(owner: ast.ClassDef) -> dict[str, ast.stmt]:
    """A class's methods and constants, by name."""
    found: dict[str, ast.stmt] = {}
    for member in owner.body:
        if isinstance(member, ast.FunctionDef):
            found[member.name] = member
        elif isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name):
            found[member.targets[0].id] = member
    return found
