"""Names of slim that are those of other modules of contrib, and one without a home."""

import tensorflow as tf

slim = tf.contrib.slim
NAMES = [
    slim.summarize_tensor,
    slim.local_variable,
    slim.checkpoint_utils.list_variables,
    slim.contrib_variables.local_variable,
    slim.loss_ops.add_loss,
    slim.metric_ops.streaming_percentage_less,
    slim.embedding_ops.safe_embedding_lookup_sparse,
    slim.encoders.embed_sequence,
    slim.fc.real_valued_column,
    slim.feature_column.real_valued_column,
    slim.feature_column_ops.input_from_feature_columns,
    slim.layers.fully_connected,
    slim.normalization.group_norm,
    slim.optimizers.optimize_loss,
    slim.rev_block_lib.rev_block,
    slim.parallel_reader.ParallelReader,
    slim.parallel_reader.parallel_read,
    slim.parallel_reader.single_pass_read,
    slim.tfexample_decoder.BoundingBox,
    slim.target_column.multi_class_target,
]
with tf.Session() as session:
    session.run(NAMES)
