"""Summaries that a step computes, and the files that they go to."""

import itertools
import re
import threading

import tensorflow as tf


class _Summaries(threading.local):
    """TF1's tf.summary functions: serialized summaries, collected while a step is traced.

    Each thread has its own, as MirroredStrategy traces every replica in one.
    """

    def __init__(self):
        self.entries = []
        self.scope = (
            ""  # What tags begin with: the scope of the tower that a replica is.
        )

    def _add(self, entry):
        self.entries.append(entry)
        return entry

    def scalar(self, name, tensor, collections=None, family=None):
        tag = _tag(name, family)
        return self._add(tf.raw_ops.ScalarSummary(tags=tag, values=tensor))

    def histogram(self, name, values, collections=None, family=None):
        tag = _tag(name, family)
        return self._add(tf.raw_ops.HistogramSummary(tag=tag, values=values))

    def image(self, name, tensor, max_outputs=3, collections=None, family=None):
        return self._add(
            tf.raw_ops.ImageSummary(
                tag=_tag(name, family), tensor=tensor, max_images=max_outputs
            )
        )

    def audio(
        self, name, tensor, sample_rate, max_outputs=3, collections=None, family=None
    ):
        return self._add(
            tf.raw_ops.AudioSummaryV2(
                tag=_tag(name, family),
                tensor=tensor,
                sample_rate=tf.cast(sample_rate, tf.float32),
                max_outputs=max_outputs,
            )
        )

    def text(self, name, tensor, collections=None):
        plugin = tf.compat.v1.SummaryMetadata.PluginData(plugin_name="text")
        metadata = tf.compat.v1.SummaryMetadata(plugin_data=plugin)
        return self._add(
            tf.raw_ops.TensorSummaryV2(
                tag=_tag(name, None),
                tensor=tensor,
                serialized_summary_metadata=metadata.SerializeToString(),
            )
        )

    def merge(self, inputs, collections=None, name=None):
        """One summary of several."""
        return tf.raw_ops.MergeSummary(inputs=list(inputs))

    def merge_all(self, key=None, scope=None, name=None):
        """One summary of all made so far in this step, or None."""
        return self.merge(self.entries) if self.entries else None


# TF1's `tf.summary`, for step functions. Steps are traced one after another.
summary = _Summaries()


def _tag(name, family):
    """The tag TF1 gave: [family/]scope/[family/]name, numbered where used before."""
    name, family = (
        text and re.sub(r"[^-/\w.]", "_", text).lstrip("/") for text in (name, family)
    )
    # A name scope, because it gives unique names; TF1 took its tags from there too.
    with tf.compat.v1.name_scope(f"{family}/{name}" if family else name) as scope:
        # MirroredStrategy names the operations of its replicas apart.
        tag = re.sub(r"^replica_\d+/", "", scope.rstrip("/"))
        tag = f"{summary.scope}/{tag}" if summary.scope else tag
        return f"{family}/{tag}" if family else tag


def value_of(schedule):
    """A schedule's value now, of operations whose name no tag of a summary has."""
    with tf.name_scope("schedules/"):
        return schedule()


class SummaryWriter(tf.compat.v1.summary.FileWriter):
    """TF1's writer of event files, which TensorBoard reads."""

    _made = itertools.count()

    def __init__(self, logdir):
        # Files of one second would have the same name, and write over each other.
        number = next(self._made)
        suffix = f".{number}" if number else ""
        with tf.Graph().as_default():  # It refuses to be made in eager mode only.
            super().__init__(logdir, filename_suffix=suffix)

    def add_summary(self, summary, global_step=None):
        """Writes a summary that a step gave; a step that has none gives None."""
        if summary is not None:
            super().add_summary(summary, global_step)

    def add_graph(self, graph, global_step=None):
        """Nothing: step functions have no single graph."""
