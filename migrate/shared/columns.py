"""Programs with feature columns that only a graph takes, which another file makes.

    # columns.py                                # train.py
    def shared():                               from columns import shared
        return tf.feature_column.               def model_fn(features, labels, mode, params):
            shared_embedding_columns(...)           net = input_layer(features, params["c"])
                                                Estimator(model_fn, params={"c": shared()})

Nothing in `train.py` tells what its columns are; Keras's layer does not take these.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from migrate.shared.files import TreeFiles
from migrate.tables import estimator


def find_columns_of_graphs(tree: TreeFiles) -> Mapping[str, str]:
    """Files of programs that have such columns -> why their model_fns stay what they are.

    A program is a file, and all that it imports.
    """
    makers = {
        real for real in tree.modules if any(map(tree.read_text(real).count, _SPELLED))
    }
    makers = {real for real in makers if _makes(real, tree)}
    found: dict[str, str] = {}
    for real in tree.modules if makers else ():
        program = {real, *tree.find_reached_files(real)}
        if len(program) > 1 and (made := program & makers):
            name = os.path.basename(min(made))
            reason = f"a Keras layer does not accept feature columns of {name}"
            found.update(dict.fromkeys(program, reason))
    return found


_SPELLED = [s.rpartition(".")[2] for s in sorted(estimator.GRAPH_COLUMNS)]


def _makes(real: str, tree: TreeFiles) -> bool:
    scopes = tree.read_scopes(real)
    return scopes is not None and any(
        symbol in estimator.GRAPH_COLUMNS for _, symbol in scopes.walk_uses()
    )
