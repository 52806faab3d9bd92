"""One text of a program and its modules: each stands where it was first imported."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import os
from collections.abc import Mapping, Sequence

from migrate.facts import names
from migrate.normalise.text import Edit
from migrate.parts import unused
from migrate.parts.apart import Names, rename_clashing_names, rename_own_names
from migrate.parts.module import Imported, Module
from migrate.parts.program import Together

_BUILTINS = frozenset(dir(builtins))


class NotMergeable(Exception):
    """The modules cannot stand in one file as they are."""


def find_undefined(tree: ast.Module) -> set[str]:
    """Names that a module reads, and that nothing in it binds anywhere."""
    read: set[str] = set()
    bound = set(_BUILTINS)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case ast.Import() | ast.ImportFrom():
                bound |= {(a.asname or a.name).split(".")[0] for a in node.names}
    # All names of another module, and those that every module has.
    return set() if "*" in bound else {n for n in read - bound if n[:2] != "__"}


@dataclasses.dataclass(frozen=True)
class _Line:
    text: str
    path: str = ""  # Of the file that has it; "" where it was added.
    number: int = 0  # Its line there.


class Merging:
    """Merges one program.

    Args:
      program: its real path.
      modules: the program and all that come to it, by real path.
      imports: what each of them imports of the tree.
    """

    def __init__(
        self,
        program: str,
        modules: Mapping[str, Module],
        imports: Mapping[str, Sequence[Imported]],
        without_classes: bool = False,
    ) -> None:
        self._without_classes = without_classes
        self._program = program
        self._modules = modules
        self._imports = imports
        self._entered: list[str] = []
        self._seen: set[str] = set()  # Statements that need not be there twice.
        self._bound: dict[
            str, str
        ] = {}  # A name of the text -> the file that binds it.
        self._told: list[tuple[int, str]] = []
        self._own: Names = {}
        self._unused: set[ast.stmt] = set()

    def run(self) -> tuple[Together, tuple[str, ...]]:
        """The text, and the modules in it.

        Raises:
          NotMergeable: a name would mean something else in the joined text, a module is
            imported in a block that may not run, or asks for its own place.
        """
        self._check_imports()
        self._check_builtins()
        self._check_rebound()
        self._own = rename_clashing_names(self._program, self._modules, self._imports)
        self._unused = unused.find_definitions(
            self._program, self._modules, self._imports, self._without_classes
        )
        lines = self._list_lines(self._program, 0)
        missing = set(self._modules) - set(self._entered)
        if missing:  # Imported somewhere in a function only.
            raise NotMergeable("a module is imported within a function")
        original = self._modules[self._program].text.source
        whole = Together(
            original,
            "\n".join(line.text for line in lines),
            tuple(n.number if n.path == self._program else 0 for n in lines),
            tuple((line.path, line.number) for line in lines),
            tuple(self._told),
        )
        self._check_defined(whole.text)
        return whole, tuple(self._entered[1:])

    def _check_defined(self, text: str) -> None:
        """Refuses a text that reads a name whose definition was left out.

        Raises:
          NotMergeable: the text reads such a name. Too much was left out of it.
        """
        try:
            lost = find_undefined(ast.parse(text))
        except SyntaxError:
            return  # Whoever reads it will say so.
        for module in self._modules.values():
            lost -= find_undefined(module.tree)
        if lost:
            raise NotMergeable(f"nothing would define {min(lost)} there")

    def _check_imports(self) -> None:
        """Refuses modules that are not imported at the top of files.

        Raises:
          NotMergeable: one is imported in a function, or in a block that may not run.
        """
        for path, module in self._modules.items():
            top = set(module.tree.body)
            for imported in self._imports[path]:
                if imported.target in self._modules and imported.statement not in top:
                    raise NotMergeable("a module is imported within a block")

    def _check_builtins(self) -> None:
        """Refuses a file's own `sum` if another file reads the builtin.

        Raises:
          NotMergeable: a file binds a builtin's name that another file reads.
        """
        for path, module in self._modules.items():
            own = set(module.scopes.module.bindings) & _BUILTINS
            others = (m for p, m in self._modules.items() if p != path)
            if own and any(own & m.reads for m in others):
                raise NotMergeable(f"a file has a {sorted(own)[0]} of its own")

    def _check_rebound(self) -> None:
        """Refuses a name that functions bind anew, if another file has it too.

        Raises:
          NotMergeable: another file binds the name too, or imports its value.
        """
        taken = {
            i.member
            for path in self._modules
            for i in self._imports[path]
            if i.target in self._modules
        }
        for path, module in self._modules.items():
            rebound = module.rebound
            others = (m for p, m in self._modules.items() if p != path)
            if rebound and (
                rebound & taken
                or "*" in taken
                or any(rebound & set(m.scopes.module.bindings) for m in others)
            ):
                raise NotMergeable("a function binds a module's name anew")

    def _list_lines(self, path: str, at: int) -> list[_Line]:
        """A file's lines, with those of the modules that it imports."""
        self._entered.append(path)
        module = self._modules[path]
        own = path == self._program
        text = module.text.apply_edits(self._rename_uses(module))
        dropped = set() if own else self._find_script_only(module) | self._unused
        found: list[_Line] = []
        titled = False
        line = 1
        for index, statement in enumerate(module.tree.body):
            first = _find_begin(statement)
            last = statement.end_lineno or statement.lineno
            gap = [] if not own and index == 0 else text.lines[line - 1 : first - 1]
            before = range(line, first)
            line = last + 1
            if statement in dropped:
                continue
            kept = text.lines[first - 1 : last]
            more: list[_Line] | None = None
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                more = self._merge_import(module, statement, first if own else at)
            elif self._is_said(module, statement):
                more = []
            if not own and not found:
                gap, before = (), range(0)
            found += [_Line(t, path, n) for t, n in zip(gap, before)]
            if more is not None:
                found += more
                continue
            self._bind(module, statement)
            if not (
                own or titled or isinstance(statement, (ast.Import, ast.ImportFrom))
            ):
                found.append(_Line(f"# From {self._make_title(path)}:"))
                titled = True
            found += [_Line(t, path, n) for t, n in zip(kept, range(first, last + 1))]
        if own:
            rest = range(line, len(text.lines) + 1)
            found += [_Line(text.lines[n - 1], path, n) for n in rest]
        return found

    def _merge_import(
        self, module: Module, statement: ast.Import | ast.ImportFrom, at: int
    ) -> list[_Line] | None:
        """Returns the lines that replace an import; None if it stays."""
        local = [i for i in self._imports[module.path] if i.statement is statement]
        merged = [i for i in local if i.target in self._modules]
        own = module.path == self._program
        shown = ast.unparse(statement)
        if merged:
            if len(merged) != len(statement.names) or not module.text.is_alone(
                statement
            ):
                raise NotMergeable("one import takes modules of both kinds")
            found: list[_Line] = []
            for target in dict.fromkeys(i.target for i in merged):
                if target in self._entered:
                    continue
                title = self._make_title(target)
                self._told.append((at, title))
                lines = self._list_lines(target, at)
                found += [
                    _Line(""),
                    *lines,
                    _Line(""),
                ]
            return found
        if isinstance(statement, ast.ImportFrom):
            if statement.module == "__future__":
                if own:
                    return None
                return []
            if statement.level and not own:
                raise NotMergeable("a relative import of a module that stays")
        if shown in self._seen and module.text.is_alone(statement):
            return []
        self._seen.add(shown)
        return None

    def _make_title(self, target: str) -> str:
        directory = os.path.dirname(self._program)
        return os.path.relpath(target, directory).replace(os.sep, "/")

    def _is_said(self, module: Module, statement: ast.stmt) -> bool:
        """`FLAGS = tf.app.flags.FLAGS`, which another file has said before."""
        if not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, (ast.Attribute, ast.Name))
            and (module.scopes.resolve(statement.value) or "").startswith("tf.")
            and module.text.is_alone(statement)
        ):
            return False
        shown = ast.unparse(statement)
        if shown in self._seen:
            return True
        self._seen.add(shown)
        return False

    def _bind(self, module: Module, statement: ast.stmt) -> None:
        """Notes the names that a statement binds, and refuses one of two files."""
        bound = set(names.find_binds(statement))
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            bound = {statement.name}
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound = {(a.asname or a.name).split(".")[0] for a in statement.names}
        if "*" in bound:
            raise NotMergeable("all names of another module are taken")
        roots = {b.split(".")[0].split("[")[0] for b in bound}
        for name in {self._look_up_name(module.path, root) for root in roots}:
            if self._bound.setdefault(name, module.path) != module.path:
                if not self._is_same_import(name):
                    raise NotMergeable(f"two files bind {name}")

    def _is_same_import(self, name: str) -> bool:
        """Whether a name is the same module wherever it is bound."""
        said: set[str] = set()
        for module in self._modules.values():
            for binding in module.scopes.module.bindings.get(name, []):
                if not isinstance(binding, (ast.Import, ast.ImportFrom)):
                    return False
                aliases = [
                    a
                    for a in binding.names
                    if (a.asname or a.name.split(".")[0]) == name
                ]
                base = getattr(binding, "module", None)
                said |= {
                    f"{base}:{a.name if a.asname or base else name}" for a in aliases
                }
        return len(said) == 1

    def _find_script_only(self, module: Module) -> set[ast.stmt]:
        """Finds the statements that a module needs only if it is run as a script."""
        dropped: set[ast.stmt] = set()
        body = module.tree.body
        if ast.get_docstring(module.tree, clean=False) is not None:
            dropped.add(body[0])
        for statement in body:
            if isinstance(statement, ast.If) and "__name__" in names.find_reads(
                statement.test
            ):
                dropped.add(statement)
        rest = [s for s in body if s not in dropped]
        read = {n.id for s in rest for n in ast.walk(s) if isinstance(n, ast.Name)}
        taken = {i.member for p in self._modules for i in self._imports[p]}
        taken |= {  # `train.main()`, of a module or an object: nobody asks which.
            node.attr
            for other in self._modules.values()
            for node in other.walk()
            if isinstance(node, ast.Attribute)
        }
        dropped |= {
            s
            for s in rest
            if isinstance(s, ast.FunctionDef)
            and s.name == "main"
            and "main" not in read | taken
        }
        if any(
            isinstance(n, ast.Name) and n.id in ("__file__", "__name__", "__path__")
            for s in body
            if s not in dropped
            for n in ast.walk(s)
        ):
            raise NotMergeable("a module asks for its own place")
        return dropped

    def _rename_uses(self, module: Module) -> list[Edit]:
        """`model.build` is `build` now, and what was imported `as` has its own name."""
        edits = rename_own_names(module, self._own)
        for imported in self._imports[module.path]:
            if imported.target not in self._modules:
                continue
            if imported.member == "*":
                continue
            if imported.member is None:
                edits += self._edit_module_uses(module, imported)
            elif imported.name != self._look_up_name(imported.target, imported.member):
                edits += self._edit_member_uses(module, imported)
        return edits

    def _look_up_name(self, path: str, name: str) -> str:
        """Returns the name in the joined text of a file's own name."""
        return self._own.get((path, name), name)

    def _edit_module_uses(self, module: Module, imported: Imported) -> list[Edit]:
        edits: list[Edit] = []
        root = imported.name.split(".")[0]
        covered: set[ast.AST] = set()
        there = self._modules[imported.target].scopes.module.bindings
        for node in module.walk():
            if (
                isinstance(node, ast.Attribute)
                and names.find_key(node.value) == imported.name
                and self._is_module_level(module, node, root)
            ):
                if node.attr not in there or not isinstance(node.ctx, ast.Load):
                    raise NotMergeable("a module's name is not its own, or is set")
                name = self._look_up_name(imported.target, node.attr)
                self._check_free(module, node, name)
                edits.append(Edit(node, name))
                covered |= set(ast.walk(node))
        for node in module.walk():
            if (
                isinstance(node, ast.Name)
                and node.id == root
                and node not in covered
                and "." not in imported.name
                and self._is_module_level(module, node, root)
            ):
                raise NotMergeable("a module is used as an object")
        return edits

    def _edit_member_uses(self, module: Module, imported: Imported) -> list[Edit]:
        edits: list[Edit] = []
        for node in module.walk():
            if (
                isinstance(node, ast.Name)
                and node.id == imported.name
                and self._is_module_level(module, node, imported.name)
            ):
                assert imported.member is not None
                name = self._look_up_name(imported.target, imported.member)
                self._check_free(module, node, name)
                edits.append(Edit(node, name))
        return edits

    def _is_module_level(self, module: Module, node: ast.expr, name: str) -> bool:
        return module.scopes.find_scope(node).find_owner(name) is module.scopes.module

    def _check_free(self, module: Module, node: ast.expr, name: str) -> None:
        """Refuses a new name that a function around it binds to something else."""
        owner = module.scopes.find_scope(node).find_owner(name)
        if owner is not None and owner is not module.scopes.module:
            raise NotMergeable(f"{name} means something else in a function")


def _find_begin(statement: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    decorators = getattr(statement, "decorator_list", [])
    lines: list[int] = [statement.lineno, *[d.lineno for d in decorators]]
    return min(lines)
