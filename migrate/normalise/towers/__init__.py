"""TF1 to TF1: a loop over towers as one tower, which every replica computes.

    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
            loss = tower_loss(images[i], labels[i])
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)

becomes the body of the loop, in which `i` is the number of the replica, and `grads` are
that replica's, to be averaged where they are applied. Values of a tower that are used
after the loop are the last tower's, as they were; lists that the loop fills are
gathered from all replicas.

A loop is only taken where all of it is clear. Any other is left for the analysis, which
refuses it.

`iteration` reads what the loop goes over, `body` its statements, `lists` what it fills,
`averages` where the gradients are averaged, `minimised` what is minimised of losses that are
listed, `tasks` on what tasks of a cluster they are; `checks` knows what replicas would do
otherwise than towers; `replaced` writes the new text.
"""

from __future__ import annotations

from migrate.normalise.text import Text
from migrate.normalise.towers import blocks, loops, tasks, tower_losses
from migrate.normalise.towers.replicas import Towers, replace_loop
from migrate.normalise.towers.view import Unclear, View, find_view

__all__ = ["Towers", "convert_to_replicas", "explain_refusal"]

_GRADIENTS = ("compute_gradients", "gradients(", ".minimize(")


def convert_to_replicas(text: Text) -> Towers | None:
    """The text with its loop over towers as one; None if it has none that is clear."""
    seen = _view_text(text)
    if seen is None:
        return None
    try:
        return replace_loop(seen)
    except Unclear:
        return None


def explain_refusal(source: str) -> tuple[int, str] | None:
    """The line of a loop over towers that is not taken, and why."""
    seen = _view_text(Text.read_source(source))
    if seen is None or not loops.shows_towers(seen.scopes, seen.loop):
        return None
    try:
        replace_loop(seen)
    except Unclear as unclear:
        reason = str(unclear) or "this loop makes more than towers"
        return seen.text.origins[seen.loop.lineno - 1], reason
    return None


def _view_text(text: Text) -> View | None:
    if not any(call in text.source for call in _GRADIENTS):
        return None
    seen = find_view(blocks.shape_blocks(text))
    if seen is not None:
        placed = tasks.drop_called_devices(seen.text, seen.scopes, seen.loop)
        seen = find_view(placed)
    if seen is None or not seen.lists_losses:
        return seen
    return find_view(tower_losses.name_losses(seen.text))
