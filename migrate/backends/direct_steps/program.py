"""A program of one process in which everything that concerns its sessions is known."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import one_of
from migrate.facts.scopes import Scopes

MODULE = "plain_session"
BASE = "training_session"


@dataclasses.dataclass(eq=False)
class Step:
    """A function that the session runs.

    Attributes:
      function: it.
      decorator: `@replicas.step_function(...)`, with its specs.
      runs: the calls `session.run(step, ...)`.
    """

    function: ast.FunctionDef
    decorator: ast.Call
    runs: list[ast.Call] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Listing:
    """A list of variables that the program asks its replicas for.

    Attributes:
      node: `replicas.trainable_variables`, or the function that is called with a scope.
      whole: the expression that gives the list.
      scope: a regular expression that begins the names of its variables; "" for all.
    """

    node: ast.Attribute
    whole: ast.expr
    scope: str = ""


@dataclasses.dataclass(eq=False)
class Program:
    """A program in which everything that concerns its sessions is known.

    Attributes:
      tensorflow: the name that the program has for it.
      blocks: `with strategy.scope(), replicas.recording()`, one for each graph.
      variables: reads of `replicas.trainable_variables` by which a step trains.
      listings: other lists of variables.
      counters: calls that make the variable `global_step`.
      summaries: reads of `training_session.summary`.
      asks_specs: whether it asks for the specs of tensors that its steps compute.
      values: calls that give the values of the variables in a list, tuple or dict.
      writers: calls that make a writer of summaries, and their statements.
      savers: calls that make a saver, and their statements.
      saved: calls of savers that are given a session.
      kept: the call that keeps the variables' initial values, and its statement.
      initialized: statements that give variables these values again.
      rates: `replicas.fed("rate")`, what an optimizer takes for its learning rate.
      feeds: `replicas.feed("rate", rate)` in steps.
      updates: `replicas.another_update()` between two optimizers' updates of a step.
      dropped: statements that only make, keep or close sessions, or import them.
      prepared: those of them that only make a strategy and replicas.
      openings: `with plain_session.Session(replicas) as session`.
      parameters: of functions, those that are given a session.
      calls: of these functions.
      strategy: the name of its `tf.distribute.MirroredStrategy`; "" without towers.
      towers: what its replicas compute of the values of all towers, or of the first.
      alone: whether the process makes no other graphs than those of the blocks.
      traced_in_place: whether each step is traced where it stands, and not by its first call.
    """

    scopes: Scopes
    tensorflow: str = ""
    blocks: list[ast.With] = dataclasses.field(default_factory=list)
    steps: dict[ast.FunctionDef, Step] = dataclasses.field(default_factory=dict)
    variables: list[ast.Attribute] = dataclasses.field(default_factory=list)
    listings: list[Listing] = dataclasses.field(default_factory=list)
    counters: list[ast.Call] = dataclasses.field(default_factory=list)
    summaries: list[ast.Attribute] = dataclasses.field(default_factory=list)
    asks_specs: bool = False
    values: list[ast.Call] = dataclasses.field(default_factory=list)
    writers: dict[ast.Call, ast.stmt] = dataclasses.field(default_factory=dict)
    savers: dict[ast.Call, ast.stmt] = dataclasses.field(default_factory=dict)
    saved: list[ast.Call] = dataclasses.field(default_factory=list)
    kept: dict[ast.Call, ast.Expr] = dataclasses.field(default_factory=dict)
    initialized: list[ast.Expr] = dataclasses.field(default_factory=list)
    rates: list[ast.Call] = dataclasses.field(default_factory=list)
    feeds: list[ast.Call] = dataclasses.field(default_factory=list)
    updates: list[ast.Call] = dataclasses.field(default_factory=list)
    dropped: set[ast.stmt] = dataclasses.field(default_factory=set)
    prepared: set[ast.stmt] = dataclasses.field(default_factory=set)
    openings: dict[ast.With, ast.withitem] = dataclasses.field(default_factory=dict)
    parameters: dict[ast.FunctionDef, set[str]] = dataclasses.field(
        default_factory=dict
    )
    calls: dict[ast.Call, ast.FunctionDef] = dataclasses.field(default_factory=dict)
    strategy: str = ""
    towers: list[ast.Call] = dataclasses.field(default_factory=list)
    alone: bool = True
    traced_in_place: bool = False

    def runs_once(self, block: ast.With) -> bool:
        """Whether a block makes the process's only graph, and runs once."""
        only = len(self.blocks) < 2 and self.alone
        return only and one_of.runs_once(self.scopes, block)
