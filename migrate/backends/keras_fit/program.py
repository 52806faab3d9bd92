"""What a migrated program of Estimators says: its models, and what is done with each."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scope, Scopes


class Stays(Exception):
    """Something that `fit` and callbacks cannot say.

    Attributes:
      node: where it stands.
      reason: what it is, as a user understands it.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


@dataclasses.dataclass(frozen=True, eq=False)
class Maker:
    """How an Estimator's model is made.

    Attributes:
      class_: of the model.
      call: the class, or a function, and what it is given beside features and params.
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
    """Where an Estimator is made.

    Attributes:
      call: what makes it.
      maker: of its model.
      model_dir: where it keeps checkpoints; None for a temporary directory.
      params: what it gives its model and inputs; None for nothing.
      config: the arguments of its RunConfig.
    """

    call: ast.Call
    maker: Maker
    model_dir: ast.expr | None
    params: ast.expr | None
    config: dict[str, ast.expr]


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """One thing that is done with an Estimator.

    Attributes:
      kind: the method of Estimator; "train_and_evaluate".
      call: it.
      statement: in which it stands.
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
    """A name of an Estimator, and all that is done with it.

    Attributes:
      name: it.
      scope: of that name.
      statement: what binds it: an assignment; or a loop, or a function, that is given
        Estimators from outside.
      sources: where they are made; one, for an assignment.
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
        """Where it is made; of several, which have one configuration, the first."""
        return self.sources[0]

    @property
    def is_mixed(self) -> bool:
        """Whether some of its models take features, and others do not."""
        return len({source.maker.features for source in self.sources}) > 1

    @property
    def is_given(self) -> bool:
        """Whether the name is what makes the model, which is made elsewhere."""
        return (
            not isinstance(self.statement, ast.Assign)
            or self.statement.value is not self.first.call
        )


@dataclasses.dataclass(eq=False)
class Program:
    """All Estimators of a file.

    Attributes:
      dropped: statements that only configured them.
      asked: parameters of functions that are given models, which are only asked there
        -> what is done with them.
      renamed: names of inputs and exports -> what they are in modules of their own.
    """

    scopes: Scopes
    trained: list[Trained] = dataclasses.field(default_factory=list)
    dropped: set[ast.stmt] = dataclasses.field(default_factory=set)
    renamed: dict[ast.expr, str] = dataclasses.field(default_factory=dict)
    asked: list[Trained] = dataclasses.field(default_factory=list)
