"""Estimators in files of tensorflow.compat.v1 that are no whole program of theirs.

Such a file keeps compat.v1, which works in the graph of a model_fn as in any other. What
it names of tf.estimator is gone with it from TensorFlow 2.16 on: whoever trains calls
`estimator_loop`, so the specs, hooks and modes that it is given must be that module's.
"""

from __future__ import annotations

import ast

from migrate.backends.estimator_loop import EstimatorRewrite
from migrate.facts.scopes import Scopes
from migrate.frontends.estimators import estimator
from migrate.plan import Plan
from migrate.tables import estimator as table

# With a session of its own in the file, a hook or an iterator may be the session's.
_SESSIONS = (
    "tf.Session",
    "tf.InteractiveSession",
    "tf.train.Supervisor",
    "tf.train.MonitoredSession",
    "tf.train.MonitoredTrainingSession",
    "tf.train.SingularMonitoredSession",
    "tf.train.Server",
)


class CompatEstimators(EstimatorRewrite):
    """Rewrites names of tf.estimator; what compat.v1 has is left to its own rules."""

    def _become(self, node: ast.expr, target: str, code_: str, reason: str) -> None:
        module, _, name = target.partition(".")
        if module != "tf" and not (
            module == table.MODULE and name.partition(".")[0] in ("layers", "rnn_cell")
        ):
            super()._become(node, target, code_, reason)


def plan_estimators(scopes: Scopes, plan: Plan) -> CompatEstimators | None:
    """The rewrite of a file's Estimators; None where it has none, or sessions too."""
    program = estimator.recognise(scopes)
    if program is None or any(s in _SESSIONS for _, s in scopes.walk_uses()):
        return None
    rewrite = CompatEstimators(program, scopes, plan)
    rewrite.run()
    return rewrite
