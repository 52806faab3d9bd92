"""Eager training in a graph's cluster: other spellings of a step, as a tape's.

optimizer.minimize(loss_fn, variables)      with tf.GradientTape() as tape: ...
model.train_on_batch(x, y)                  a function with a tape, and its call
train_step(x[i:i + 32], y[i:i + 32])        the batch's parts under names
with MonitoredTrainingSession(...):         with MonitoredTrainingSession(...) as session:
@tf.function, of what counts a metric       the function
"""

from __future__ import annotations

from migrate.normalise.eager_forms.eager_metrics import drop_tracing
from migrate.normalise.eager_forms.session_names import name_session
from migrate.normalise.eager_forms.step_arguments import name_parts
from migrate.normalise.eager_forms.tapes import write_tape
from migrate.normalise.eager_forms.train_on_batch import write_step
from migrate.normalise.text import Text, close_headers, repeat_step

__all__ = ["convert_to_known_form"]


def convert_to_known_form(source: str) -> Text | None:
    """The program with a tape's step, None if it has nothing else."""
    start = text = close_headers(Text.read_source(source))
    spellings = (name_session, write_step, write_tape, name_parts, drop_tracing)
    for step in spellings:
        text = repeat_step(text, step)
    return text if text != start else None
