"""Describes a migrated program of Estimators: its models, and their uses."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scope, Scopes


class Stays(Exception):
    """Something that `fit` and callbacks cannot express.

    Attributes:
      node: the place.
      reason: the reason, in a user's words.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


@dataclasses.dataclass(frozen=True, eq=False)
class Maker:
    """The call that makes an Estimator's model.

    Attributes:
      class_: of the model.
      function, given, positional: the class or its maker, and its arguments besides features
        and params.
      features: whether it takes symbolic features.
      params: whether it takes the Estimator's params.
    """

    class_: ast.ClassDef
    function: ast.expr
    given: tuple[ast.keyword, ...]
    positional: tuple[ast.expr, ...]
    features: bool
    params: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Source:
    """One place where an Estimator is made.

    Attributes:
      call: the call that makes it.
      maker: of its model.
      model_dir: the directory of checkpoints; None for a temporary directory.
      params: its params for model and inputs; None for none.
      config: the arguments of its RunConfig.
    """

    call: ast.Call
    maker: Maker
    model_dir: ast.expr | None
    params: ast.expr | None
    config: dict[str, ast.expr]


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """One use of an Estimator.

    Attributes:
      kind: the method of Estimator; "train_and_evaluate".
      call: the call.
      statement: the statement that contains it.
      given: its arguments, by name.
      training, evaluation: of "train_and_evaluate", the arguments of its specs.
    """

    kind: str
    call: ast.Call
    statement: ast.stmt
    given: dict[str, ast.expr]
    training: dict[str, ast.expr] = dataclasses.field(default_factory=dict)
    evaluation: dict[str, ast.expr] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(eq=False)
class Trained:
    """A name of an Estimator, and all its uses.

    Attributes:
      name: the name.
      scope: of that name.
      statement: the statement that binds it: an assignment; or a loop, or a function, that
        gets Estimators from outside.
      sources: the places where they are made; one, for an assignment.
      runs: in their order.
      attributes: reads of `estimator.model_dir`.
      handed: names that stand for it as arguments of functions -> their parameters.
    """

    name: str
    scope: Scope
    statement: ast.stmt
    sources: list[Source]
    runs: list[Run] = dataclasses.field(default_factory=list)
    attributes: list[ast.Attribute] = dataclasses.field(default_factory=list)
    handed: list[ast.Name] = dataclasses.field(default_factory=list)

    @property
    def first(self) -> Source:
        """Returns the first place where it is made; all have one configuration."""
        return self.sources[0]

    @property
    def is_mixed(self) -> bool:
        """Whether some of its models take features, and others do not."""
        return len({source.maker.features for source in self.sources}) > 1

    @property
    def is_given(self) -> bool:
        """Whether the name gets a maker of the model, and the model is made elsewhere."""
        return (
            not isinstance(self.statement, ast.Assign)
            or self.statement.value is not self.first.call
        )


@dataclasses.dataclass(eq=False)
class Program:
    """All Estimators of a file.

    Attributes:
      dropped: statements that only configured them.
      asked: parameters of functions that get models and do not train them -> their uses.
      renamed: names of inputs and exports -> their names in smaller modules.
    """

    scopes: Scopes
    trained: list[Trained] = dataclasses.field(default_factory=list)
    dropped: set[ast.stmt] = dataclasses.field(default_factory=set)
    renamed: dict[ast.expr, str] = dataclasses.field(default_factory=dict)
    asked: list[Trained] = dataclasses.field(default_factory=list)
