"""Applies a plan to a text: by lines if possible, else by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.findings import Finding
from migrate.notes import add_notes
from migrate.options import Options
from migrate.plan import Plan
from migrate.rewriting import gates
from migrate.rewriting.splice import splice_text
from migrate.source.nodes import parse_source


def apply_plan(text: str, tree: ast.Module, plan: Plan) -> str:
    """The text that a plan makes of another."""
    new = splice_text(text, tree, plan)
    if new is None:
        from migrate.rewriting.rewrite import Rewriter  # libcst is slow to import.

        new = Rewriter(text, tree, plan).run()
    return new


def add_refusal_notes(text: str, findings: Iterable[Finding], options: Options) -> str:
    """A refused file's text with its refusals as comments, and nothing else changed."""
    plan, tree = Plan(), parse_source(text)
    add_notes(plan, tree, findings, text, options)
    if plan.empty:
        return text
    new = apply_plan(text, tree, plan)
    return text if gates.check_compiles(new, "") else new
