"""Applies a plan to a libcst tree. Decides nothing.

Statements are found by walking both trees side by side, expressions by their
positions. An expression's replacement is built from its already rewritten parts, so
nested edits survive; a statement that moves keeps the comments above it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code

Position = tuple[int, int, int, int]
_Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class Rewriter:
    """Rewrites one module; `tree` and `text` are of the same source."""

    def __init__(self, text: str, tree: ast.Module, plan: Plan) -> None:
        self.plan = plan
        self.lines = text.split("\n")
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        positions = wrapper.resolve(PositionProvider)
        self._expressions: dict[Position, cst.BaseExpression] = {}
        for node, span in positions.items():
            if isinstance(node, cst.BaseExpression):
                where = (
                    span.start.line,
                    span.start.column,
                    span.end.line,
                    span.end.column,
                )
                self._expressions.setdefault(where, node)
        self.line_of: dict[ast.stmt, cst.CSTNode] = {}
        self.small_of: dict[ast.stmt, cst.CSTNode] = {}
        self.block_of: dict[tuple[ast.AST, str], cst.CSTNode] = {}
        self._pair_suite(tree, "body", tree.body, self.module)
        self._suites = {
            id(self.block_of[key]): items for key, items in plan.suites.items()
        }
        self._statements = {
            id(self.line_of[s]): items for s, items in plan.statements.items()
        }
        self._notes = {id(self.line_of[s]): lines for s, lines in plan.notes.items()}
        self._edits = self._key_by_node(plan.expressions)
        self._parsed: dict[str, cst.BaseExpression] = {}  # New code, by its text.

    # -- pairing -------------------------------------------------------------------

    def _pair_suite(
        self, owner: ast.AST, field: str, body: Sequence[ast.stmt], block: cst.CSTNode
    ) -> None:
        self.block_of[owner, field] = block
        if isinstance(block, cst.SimpleStatementSuite):
            for statement, small in zip(body, block.body):
                self.small_of[statement] = small
                self.line_of[statement] = block
            return
        index = 0
        assert isinstance(block, (cst.Module, cst.IndentedBlock))
        for line in block.body:
            if isinstance(line, cst.SimpleStatementLine):
                for small in line.body:
                    self.line_of[body[index]] = line
                    self.small_of[body[index]] = small
                    index += 1
            else:
                self._pair_compound(body[index], line)
                index += 1

    def _pair_compound(self, statement: ast.stmt, node: cst.CSTNode) -> None:
        self.line_of[statement] = node
        self.small_of[statement] = node
        body = getattr(statement, "body", None)
        inner = getattr(node, "body", None)
        if isinstance(body, list) and inner is not None:
            self._pair_suite(statement, "body", body, inner)
        orelse = getattr(statement, "orelse", None)
        following = getattr(node, "orelse", None)
        if orelse and following is not None:
            if isinstance(following, cst.If):
                self.block_of[statement, "orelse"] = following
                self._pair_compound(orelse[0], following)
            else:
                self._pair_suite(statement, "orelse", orelse, following.body)
        final = getattr(statement, "finalbody", None)
        if final and getattr(node, "finalbody", None) is not None:
            self._pair_suite(statement, "finalbody", final, node.finalbody.body)  # type: ignore[attr-defined]
        for index, handler in enumerate(getattr(statement, "handlers", [])):
            self._pair_suite(
                statement,
                f"handlers.{index}",
                handler.body,
                node.handlers[index].body,  # type: ignore[attr-defined]
            )

    def _find_column(self, line: int, offset: int) -> int:
        """ast counts bytes, libcst characters."""
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode())

    def find_node(self, node: ast.AST) -> cst.CSTNode:
        """The libcst node of an ast expression."""
        if isinstance(node, ast.stmt):
            return self.small_of[node]
        assert isinstance(node, ast.expr)
        assert node.end_lineno is not None and node.end_col_offset is not None
        where = (
            node.lineno,
            self._find_column(node.lineno, node.col_offset),
            node.end_lineno,
            self._find_column(node.end_lineno, node.end_col_offset),
        )
        found = self._expressions.get(where)
        if found is None:
            # The parentheses of a tuple or generator are outside libcst's position.
            inside = [
                (span, candidate)
                for span, candidate in self._expressions.items()
                if where[:2] < span[:2]
                and span[2:] < where[2:]
                and isinstance(candidate, (cst.Tuple, cst.GeneratorExp))
            ]
            found = min(inside, key=lambda pair: pair[0][:2])[1] if inside else None
        if found is None:
            raise KeyError(f"no expression at {where}")
        return found

    def _key_by_node(self, edits: dict[ast.AST, Code]) -> dict[int, Code]:
        return {id(self.find_node(node)): new for node, new in edits.items()}

    # -- rendering ----------------------------------------------------------------

    def run(self) -> str:
        """The rewritten module."""
        module = self.module.visit(_Apply(self, self._edits))
        assert isinstance(module, cst.Module)
        return module.code

    def write_text(self, new: Code, edits: dict[int, Code]) -> str:
        """Source text of new code, its holes filled with rewritten user code."""
        parts: list[str] = []
        for part in new.parts:
            if isinstance(part, str):
                parts.append(part)
            elif isinstance(part, Code):
                parts.append(self.write_text(part, edits))
            else:
                original = self.find_node(part)
                inner = edits
                if id(original) in edits and edits[id(original)] is new:
                    inner = {k: v for k, v in edits.items() if k != id(original)}
                node = original.visit(_Apply(self, inner))
                assert isinstance(node, cst.CSTNode)
                parts.append(self.module.code_for_node(node).strip())
        return "".join(parts)

    def write_expression(self, new: Code, edits: dict[int, Code]) -> cst.BaseExpression:
        text = self.write_text(new, edits)
        parsed = self._parsed.get(text)
        if parsed is None:
            try:
                parsed = cst.parse_expression(text, self.module.config_for_parsing)
            except cst.ParserSyntaxError:
                parsed = cst.parse_expression(
                    f"({text})", self.module.config_for_parsing
                )
            self._parsed[text] = parsed
        return parsed

    def write_items(
        self,
        items: Sequence[Item],
        edits: dict[int, Code],
        carried: list[cst.EmptyLine] | None = None,
    ) -> list[_Statement]:
        """Writes the statements that a list of items means.

        Args:
          items: the list.
          edits: of expressions.
          carried: comments of what is gone before; afterwards those for what follows.
        """
        found: list[_Statement] = []
        carried = [] if carried is None else carried
        for item in items:
            made = self._write_item(item, edits)
            if isinstance(item, Dropped):
                line = self.line_of[item.statement]
                # Comments of what is gone stay with what follows; blank lines do not pile up.
                leading = getattr(line, "leading_lines", ())
                own = [e for e in leading if e.comment]
                if own and not carried:
                    carried += [e for e in leading if not e.comment][:1]
                carried += own
                continue
            if made and carried:
                made[0] = _put_above(made[0], carried)
                carried.clear()
            found.extend(made)
        return _space_statements(found)

    def _write_item(self, item: Item, edits: dict[int, Code]) -> list[_Statement]:
        if isinstance(item, Dropped):
            return []
        if isinstance(item, New):
            own = {**edits, **self._key_by_node(item.replace)}
            made = self._parse(self.write_text(item.code, own))
            return self._copy_comments(made, item.origin)
        if isinstance(item, Block):
            return self._write_block(item, edits)
        return [self._keep(item, edits)]

    def _parse(self, text: str) -> list[_Statement]:
        module = cst.parse_module(
            text if text.endswith("\n") else text + "\n", self.module.config_for_parsing
        )
        body = list(module.body)
        if body and module.header:
            lines = [*module.header, *body[0].leading_lines]
            body[0] = body[0].with_changes(
                leading_lines=[
                    line if line.comment else cst.EmptyLine(indent=False)
                    for line in lines
                ]
            )
        return body

    def _copy_comments(
        self, made: list[_Statement], origin: ast.stmt | None
    ) -> list[_Statement]:
        if origin is not None and made:
            leading = [
                *getattr(self.line_of[origin], "leading_lines", ()),
                *made[0].leading_lines,
            ]
            made[0] = made[0].with_changes(leading_lines=leading)
            line = self.line_of[origin]
            if isinstance(line, cst.SimpleStatementLine) and isinstance(
                made[-1], cst.SimpleStatementLine
            ):
                made[-1] = made[-1].with_changes(
                    trailing_whitespace=line.trailing_whitespace
                )
        return made

    def _write_block(self, item: Block, edits: dict[int, Code]) -> list[_Statement]:
        header = self.write_text(item.code, edits)
        edits = {**edits, **self._key_by_node(item.replace)}
        body = _drop_blank_lines(
            self.write_items(item.items, edits) or self._parse("pass")
        )
        made = self._parse(header + "\n" + self.module.default_indent + "pass")
        compound = made[-1]
        block = cst.IndentedBlock(body=body)
        made[-1] = compound.with_changes(body=block)
        if item.orelse:
            orelse = _drop_blank_lines(self.write_items(item.orelse, edits))
            other = cst.IndentedBlock(body=orelse)
            made[-1] = made[-1].with_changes(orelse=cst.Else(body=other))
        return self._copy_comments(made, item.origin)

    def _keep(self, item: Keep, edits: dict[int, Code]) -> _Statement:
        own = {**edits, **self._key_by_node(item.replace)}
        small = self.small_of[item.statement]
        line = self.line_of[item.statement]
        if isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
            updated = small.visit(_Apply(self, own))
            if isinstance(line, cst.SimpleStatementSuite) or len(line.body) > 1:
                updated = updated.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)  # type: ignore[union-attr]
                if isinstance(line, cst.SimpleStatementSuite):
                    return cst.SimpleStatementLine(body=[updated])  # type: ignore[list-item]
            return line.with_changes(body=[updated])
        # A compound statement: header edits, then the suites given.
        apply = _Apply(
            self,
            own,
            {
                id(self.block_of[item.statement, field]): items
                for field, items in item.suites.items()
            },
        )
        updated = line.visit(apply)
        assert isinstance(updated, cst.BaseCompoundStatement)
        return updated


def _put_above(statement: _Statement, lines: Sequence[cst.EmptyLine]) -> _Statement:
    """A statement with comments above its own."""
    return statement.with_changes(leading_lines=[*lines, *statement.leading_lines])


def _space_statements(statements: list[_Statement]) -> list[_Statement]:
    """Blank lines are empty, and there is one around a function."""
    found: list[_Statement] = []
    for statement in statements:
        lines = [
            line if line.comment else cst.EmptyLine(indent=False)
            for line in statement.leading_lines
        ]
        beside = isinstance(statement, cst.FunctionDef) or (
            bool(found) and isinstance(found[-1], cst.FunctionDef)
        )
        if found and beside and not any(line.comment is None for line in lines):
            lines.insert(0, cst.EmptyLine(indent=False))
        found.append(statement.with_changes(leading_lines=lines))
    return found


def _drop_blank_lines(statements: list[_Statement]) -> list[_Statement]:
    """A suite that begins with no blank line."""
    first, *others = statements
    lines = list(itertools.dropwhile(_is_blank, first.leading_lines))
    return [first.with_changes(leading_lines=lines), *others]


def _begins_blank(suite: cst.CSTNode) -> bool:
    """Whether the user has left a line below a header."""
    if not isinstance(suite, cst.IndentedBlock) or not suite.body:
        return False
    lines = list(getattr(suite.body[0], "leading_lines", ()))
    return bool(lines) and _is_blank(lines[0])


def _is_blank(line: cst.EmptyLine) -> bool:
    return line.comment is None


class _Apply(cst.CSTTransformer):
    """Edits expressions, and the suites the plan gives."""

    def __init__(
        self,
        rewriter: Rewriter,
        edits: dict[int, Code],
        suites: dict[int, list[Item]] | None = None,
    ) -> None:
        super().__init__()
        self._rewriter = rewriter
        self._edits = edits
        self._suites = {**rewriter._suites, **(suites or {})}

    def on_visit(self, node: cst.CSTNode) -> bool:
        # What is replaced whole need not be walked.
        return id(node) not in self._suites and id(node) not in self._edits

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> object:  # type: ignore[override]
        edit = self._edits.get(id(original))
        if edit is not None:
            return self._rewriter.write_expression(edit, self._edits)
        items = self._suites.get(id(original))
        if items is not None:
            return self._replace_suite(original, updated, items)
        if isinstance(original, (cst.Module, cst.IndentedBlock)):
            return self._replace_lines(original, updated)
        return updated

    def _replace_suite(
        self, original: cst.CSTNode, updated: cst.CSTNode, items: list[Item]
    ) -> object:
        made = self._rewriter.write_items(items, self._edits)
        if isinstance(original, cst.If):  # An `elif`'s content.
            if not made:
                return cst.RemoveFromParent()
            if len(made) == 1 and isinstance(made[0], cst.If):
                return made[0]
            return cst.Else(body=cst.IndentedBlock(body=made))
        if isinstance(original, cst.Module):
            return updated.with_changes(body=made)
        if not made:
            made = [cst.SimpleStatementLine(body=[cst.Pass()])]
        if not _begins_blank(original):
            made = _drop_blank_lines(made)
        if isinstance(original, cst.SimpleStatementSuite):
            return cst.IndentedBlock(body=made)
        return updated.with_changes(body=made)

    def _replace_lines(
        self, original: cst.CSTNode, updated: cst.CSTNode
    ) -> cst.CSTNode:
        """Suites without a plan: single statements may still change or get a note."""
        body: list[object] = []
        carried: list[cst.EmptyLine] = []
        changed = False
        assert isinstance(original, (cst.Module, cst.IndentedBlock))
        assert isinstance(updated, (cst.Module, cst.IndentedBlock))
        for before, after in zip(original.body, updated.body):
            items = self._rewriter._statements.get(id(before))
            if items is not None:
                made = self._rewriter.write_items(items, self._edits, carried)
                body.extend(made)
                if not all(isinstance(i, Dropped) and i.passes_on for i in items):
                    carried.clear()
                changed = True
                continue
            if carried:
                assert isinstance(after, _Statement)
                after = _put_above(after, carried)
                carried.clear()
            notes = self._rewriter._notes.get(id(before))
            if notes:
                lines = [cst.EmptyLine(comment=cst.Comment(note)) for note in notes]
                above = [*getattr(after, "leading_lines", ()), *lines]
                after = after.with_changes(leading_lines=above)
                changed = True
            body.append(after)
        if not changed:
            return updated
        if not body and isinstance(updated, cst.IndentedBlock):
            body.append(cst.SimpleStatementLine(body=[cst.Pass()]))
        return updated.with_changes(body=body)
