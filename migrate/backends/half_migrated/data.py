"""Whether the workers of a half-migrated program have the batches that its steps take."""

from __future__ import annotations

import ast

from migrate.backends.half_migrated.workers import WorkersOwn
from migrate.facts import names
from migrate.frontends.half_migrated import Refused
from migrate.program.eager import EagerProgram
from migrate.source.nodes import walk_breadth_first


def check_examples(program: EagerProgram, own: WorkersOwn) -> None:
    """The step is made before the workers' loops, of rows of what they cut."""
    made = {n for s in own.statements for n in names.find_binds(s)}
    for example in program.source.examples:
        clash = names.find_reads(example) & made
        if clash:
            raise Refused(
                "D125",
                program.source.takes[0],
                f"the program cuts the batches out of `{sorted(clash)[0]}`, and "
                "each worker has its own array",
                "Cut the batches out of one array for all workers, by an index "
                "that each worker has for itself.",
            )


def check_alike(program: EagerProgram) -> None:
    """Workers that make every step together take their parts of one batch."""
    server, source = program.server, program.source
    if server is None or isinstance(server.task_index, ast.Constant):
        return
    index = ast.dump(server.task_index)
    data: list[ast.AST] = [*source.takes, *source.examples]
    if source.dataset is not None:
        data.append(source.dataset)
    given = {n for node in data for n in names.find_reads(node)}
    sets: list[tuple[ast.AST, ast.AST]] = []  # What binds names, and of what.
    for statement in program.suite[: program.at + 1]:
        for node in walk_breadth_first(statement):
            if node is server.statement or node in program.made:
                continue
            if isinstance(node, ast.Assign):
                sets.append((node, node.value))
            elif isinstance(node, ast.For):
                sets.append((node.target, node.iter))
    while found := [s for s in sets if names.find_binds(s[0]) & given]:
        sets = [s for s in sets if s not in found]
        data += [value for _, value in found]
        given |= {n for _, value in found for n in names.find_reads(value)}
    for node in (n for d in data for n in walk_breadth_first(d)):
        if isinstance(node, ast.expr) and ast.dump(node) == index:
            raise Refused(
                "C109",
                node,
                "each worker makes its own batches, but in the migrated program "
                "each worker takes its part of one batch",
                "Give every worker the whole data. Each worker then takes its part "
                "of each batch.",
            )
