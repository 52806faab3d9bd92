"""I112: an Estimator's seed chooses other first values than in TensorFlow 1.

TF1's Estimator gave it to its graph. The graph's seed gives each operation a seed by its number
in the graph, and TensorFlow 2 numbers operations otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, find_method, list_calls
from migrate.tables import estimator, random_symbols

_REASON = (
    "this seed chooses random numbers by each operation's number in the graph. "
    "TensorFlow 2 counts otherwise, so variables begin with other values than in "
    "TensorFlow 1, and random operations draw other numbers"
)
_RECIPE = (
    "Give each initializer and random operation a seed of its own: `seed=...`. `tf1to2 "
    "verify` compares both programs from TensorFlow 1's values."
)
_SEED = "tf_random_seed"


def find(scopes: Scopes) -> Iterator[Mistake]:
    """`RunConfig(tf_random_seed=7)`, and `config.replace(tf_random_seed=7)`."""
    for call, symbol in list_calls(scopes):
        config = symbol.endswith(".RunConfig")
        if not (config or find_method(call) == "replace"):
            continue
        seed = names.find_argument(call, _SEED, 1 if config else None)
        if seed is None or (isinstance(seed, ast.Constant) and seed.value is None):
            continue
        if _may_draw(scopes):
            yield Mistake(call, "I112", _REASON, _RECIPE, symbol=symbol)


def _may_draw(scopes: Scopes) -> bool:
    """Whether a model of the program draws by the graph's seed, as far as the module tells."""
    made_here = False
    for call, symbol in list_calls(scopes):
        given = {k.arg or "" for k in call.keywords}
        if symbol.endswith("EstimatorSpec"):
            made_here = True
        name = symbol.removeprefix("tf.estimator.")
        if name in estimator.CANNED:
            if name.startswith("DNN"):
                return True
            made_here = True  # The others begin with zeros.
        if "seed" not in given and (
            random_symbols.makes_drawn(symbol, given) or random_symbols.draws(symbol)
        ):
            return True
    return not made_here
