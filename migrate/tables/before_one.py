"""Names that only older versions of TensorFlow had, and what 1.15 calls the same.

A program that has one does not run under TensorFlow 1.15. The names are those that the
release notes of TensorFlow 1.0 list, and some hooks of contrib that later versions moved.
Tests ask TensorFlow 1.15.5 for both.
"""

from __future__ import annotations

# Old symbol -> 1.15's.
RENAMED: dict[str, str] = {
    "tf.audio_summary": "tf.summary.audio",
    "tf.batch_cholesky": "tf.cholesky",
    "tf.batch_fft": "tf.fft",
    "tf.batch_matmul": "tf.matmul",
    "tf.batch_matrix_band_part": "tf.matrix_band_part",
    "tf.batch_matrix_diag": "tf.matrix_diag",
    "tf.batch_matrix_inverse": "tf.matrix_inverse",
    "tf.batch_matrix_solve": "tf.matrix_solve",
    "tf.batch_matrix_transpose": "tf.matrix_transpose",
    "tf.batch_svd": "tf.svd",
    "tf.complex_abs": "tf.abs",
    "tf.concat_v2": "tf.concat",
    "tf.contrib.estimator.InMemoryEvaluatorHook": (
        "tf.estimator.experimental.InMemoryEvaluatorHook"
    ),
    "tf.contrib.estimator.make_stop_at_checkpoint_step_hook": (
        "tf.estimator.experimental.make_stop_at_checkpoint_step_hook"
    ),
    "tf.contrib.hooks.ProfilerHook": "tf.train.ProfilerHook",
    "tf.histogram_summary": "tf.summary.histogram",
    "tf.image.per_image_whitening": "tf.image.per_image_standardization",
    "tf.image_summary": "tf.summary.image",
    "tf.inv": "tf.reciprocal",
    "tf.listdiff": "tf.setdiff1d",
    "tf.merge_all_summaries": "tf.summary.merge_all",
    "tf.merge_summary": "tf.summary.merge",
    "tf.mul": "tf.multiply",
    "tf.neg": "tf.negative",
    "tf.nn.bidirectional_rnn": "tf.nn.static_bidirectional_rnn",
    "tf.nn.rnn": "tf.nn.static_rnn",
    "tf.nn.seq2seq": "tf.contrib.legacy_seq2seq",
    "tf.nn.state_saving_rnn": "tf.nn.static_state_saving_rnn",
    "tf.pack": "tf.stack",
    "tf.scalar_summary": "tf.summary.scalar",
    "tf.select": "tf.where",
    "tf.sub": "tf.subtract",
    "tf.train.SummaryWriter": "tf.summary.FileWriter",
    "tf.train.SummaryWriterCache": "tf.summary.FileWriterCache",
    "tf.unpack": "tf.unstack",
}
