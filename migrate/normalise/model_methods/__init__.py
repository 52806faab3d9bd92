"""TF1 to TF1: a model_fn that is a method becomes a function that takes what it reads.

    class Trainer(object):                      class Trainer(object):
        def __init__(self, hidden):                 def __init__(self, hidden):
            self.hidden = hidden                        self.hidden = hidden

        def model_fn(self, features, ...):          def estimator(self):
            ...self.hidden...                           return tf.estimator.Estimator(
                                                            functools.partial(
        def estimator(self):                                    trainer_model_fn,
            return tf.estimator.Estimator(                      hidden=self.hidden))
                self.model_fn)

                                                def trainer_model_fn(features, ..., hidden):
                                                    ...hidden...

Methods that it calls go with it. What it reads of its object must be settled by then (see
`facts/objects.py`), for it is read where the Estimator is made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from migrate.facts.objects import Unsettled
from migrate.facts.scopes import build_scopes
from migrate.normalise.model_methods.moves import Move
from migrate.normalise.model_methods.sites import find_sites
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source


@dataclasses.dataclass(frozen=True)
class Moved:
    """The text with functions in place of methods, and what is said of them.

    Attributes:
      text: with functions in place of methods; the text as it was if there are none.
      functions: of each method that is one now -> the original line of its Estimator.
      given: of each of these functions, what it takes that its object had.
      stays: original lines of Estimators whose model_fn stays a method -> why.
    """

    text: Text
    functions: dict[str, int]
    given: dict[str, list[str]]
    stays: dict[int, str]


def convert_to_functions(
    text: Text, elsewhere: tuple[str, ...] = (), left: Mapping[int, str] | None = None
) -> Moved:
    """The text with every such method as a function.

    Args:
      elsewhere: texts of other files that know classes of this one.
      left: lines of Estimators whose method stays one -> why.
    """
    stays, functions = dict(left or {}), dict[str, int]()
    given: dict[str, list[str]] = {}
    while "Estimator" in text.source and "class " in text.source:
        scopes = build_scopes(parse_source(text.source))
        sites = list(find_sites(scopes))
        move = None
        for site in sites:
            at = text.origins[site.call.lineno - 1]
            if at in stays:
                continue
            try:
                move = Move(text, scopes, site, sites, elsewhere)
                new = move.run()
                break
            except Unsettled as reason:
                line = text.origins[getattr(reason.node, "lineno", 1) - 1]
                where = "" if line == at else f" (line {line})"
                stays[at] = f"it is a method, and {reason.reason}{where}"
                move = None
        if move is None:
            break
        text = new
        functions.update(dict.fromkeys(move.given, at))
        given |= move.given
    return Moved(text, functions, given, stays)
