"""Describes the binding times of the user's own functions.

A function that only creates variables is build time. One that only computes on tensors is
step time. Both stay as they are. One that does both is *staged*: its call at build time
creates the variables and returns the step-time function.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.program.ir import Flow, Kind


@dataclasses.dataclass(eq=False)
class FunctionTimes:
    """One function's binding times, joined over its call sites.

    Attributes:
      node: the definition.
      flows: its body.
      kind: the kind of its result.
      elements: kinds of the elements if it returns a tuple, else ().
      staged: whether it must be split.
      build_parameters: parameters that its build-time part reads.
      kinds: the kinds of the names in its body.
      step_parameters: the other parameters, which its step-time part reads.
      spec_parameters: those of the build-time part that are step-time tensors, of which
        it needs the static shape.
      analysed: whether all of its body is known; False inside of itself.
      recursive: a call inside of itself, or of a function that it calls; None if none.
    """

    node: ast.FunctionDef
    flows: list[Flow]
    kind: Kind
    elements: tuple[Kind, ...] = ()
    staged: bool = False
    creates: bool = False
    reuses: bool = False
    build_parameters: tuple[str, ...] = ()
    step_parameters: tuple[str, ...] = ()
    spec_parameters: tuple[str, ...] = ()
    kinds: dict[str, Kind] = dataclasses.field(default_factory=dict)
    is_method: bool = False
    analysed: bool = True
    recursive: ast.Call | None = None


def list_parameter_names(node: ast.FunctionDef) -> list[str]:
    arguments = node.args
    return [
        a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    ]
