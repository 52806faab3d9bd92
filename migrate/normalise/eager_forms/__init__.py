"""Eager training in a graph's cluster: other spellings of a step, as a tape's.

optimizer.minimize(loss_fn, variables)      with tf.GradientTape() as tape: ...
model.train_on_batch(x, y)                  a function with a tape, and its call
train_step(x[i:i + 32], y[i:i + 32])        the batch's parts under names
with MonitoredTrainingSession(...):         with MonitoredTrainingSession(...) as session:
@tf.function, of what counts a metric       the function
"""

from __future__ import annotations

from migrate.normalise.eager_forms.compiled import with_step
from migrate.normalise.eager_forms.given import with_names
from migrate.normalise.eager_forms.minimised import with_tape
from migrate.normalise.eager_forms.named import with_named_session
from migrate.normalise.eager_forms.untraced import without_tracing
from migrate.normalise.text import Text, close_headers, repeated

__all__ = ["in_known_form"]


def in_known_form(source: str) -> Text | None:
    """The program with a tape's step, None where it has nothing else."""
    start = text = close_headers(Text.of(source))
    spellings = (with_named_session, with_step, with_tape, with_names, without_tracing)
    for step in spellings:
        text = repeated(text, step)
    return text if text != start else None
