"""Symbols that exist in TF2 under TF1's name, but mean another thing there.

`tf.compat.v1` keeps TF1's meaning of each. A module that uses one, and is imported by a
program of TensorFlow 1, is TensorFlow 1's too (`migrate/shared/of_tf1.py`). The generated
table compares objects and signatures; what it cannot see is here, reviewed by hand.
`tests/migrate/rules/test_symbols.py` measures the differences that change numbers or types
without an error; the others are read from the signatures and the documentation of
TensorFlow 1.15.5 and 2.21. Comments say what differs, TF1 first.
"""

from __future__ import annotations

# What is below one of these (its methods, a module's names) is meant too.
SEMANTICS: frozenset[str] = frozenset(
    f"tf.{name}"
    for name in (
        # A vector condition selects rows of x and y; it is broadcast along the last axis.
        "where",
        # Argument 4 is `name`; it is `axis`.
        "gather",
        # (input, crops, block_size); block_shape comes before crops.
        "batch_to_space",
        # The third positional argument is `name`; it is another one.
        "convert_to_tensor",
        # `dtype` is deprecated for fn_output_signature; both still work.
        "map_fn",
        # The result's type and keepdims are as in tf.math, names differ.
        "count_nonzero",
        # (labels, predictions, num_classes, dtype, name, weights); the fourth is `weights`.
        "confusion_matrix",
        # Integers floor; tf.divide gives a float.
        "div",
        # A SparseTensor; tf.strings.split gives a RaggedTensor.
        *("string_split", "strings.split"),
        # One loop variable comes back bare, and the body may return it bare; a list.
        "while_loop",
        # An item was a Dimension with .value; it is an int or None.
        "TensorShape",
        # A list of tables is read with strategy "mod" by default; always by "div", so that
        # other rows are found.
        *("nn.embedding_lookup", "nn.embedding_lookup_sparse", "nn.nce_loss"),
        *("nn.safe_embedding_lookup_sparse", "nn.sampled_softmax_loss"),
        # keep_prob, what is kept, comes second; rate does.
        "nn.dropout",
        # No gradient flows into the labels; one does, as in TF1's _v2.
        "nn.softmax_cross_entropy_with_logits",
        # (labels, inputs, sequence_length), labels sparse; (labels, logits, label_length,
        # logit_length).
        "nn.ctc_loss",
        # merge_repeated is True; nothing is merged.
        "nn.ctc_beam_search_decoder",
        # stddev is 1.0 by default; 0.05.
        "random_normal_initializer",
        # The range is [0, 1) by default; [-0.05, 0.05).
        "random_uniform_initializer",
        # Sampled at pixel corners; at centres: 0, .5, 1, 1 becomes 0, .25, .75, 1.
        *("image.resize", "image.resize_images", "image.resize_bilinear"),
        *("image.resize_bicubic", "image.resize_nearest_neighbor", "image.resize_area"),
        "image.resize_image_with_pad",
        # Works eagerly too, and shares variables through its own store.
        "make_template",
        # A tensor; eagerly a callable, which an optimizer of compat.v1 calls (Ftrl does not).
        *(
            "train.cosine_decay",
            "train.cosine_decay_restarts",
            "train.exponential_decay",
        ),
        *("train.inverse_time_decay", "train.linear_cosine_decay"),
        *("train.natural_exp_decay", "train.noisy_linear_cosine_decay"),
        *("train.piecewise_constant", "train.piecewise_constant_decay"),
        "train.polynomial_decay",
        # Saves all variables by default; eagerly it must be given them.
        "train.Saver",
        # Maps names and scopes of the graph's variables; eagerly variables themselves.
        "train.init_from_checkpoint",
        # Runs a session; eagerly it reads the variable, whatever the session is.
        "train.global_step",
        # Functions that also collect; tf.losses is Keras.
        "losses",
        # (value, update_op) pairs; tf.metrics is Keras classes.
        "metrics",
        # TF1's own; tf.initializers is Keras, of version 2 or 3 by the environment.
        "initializers",
        # (sess, tags, export_dir); export_dir comes first.
        "saved_model.load",
        # Takes a function too; eagerly no spelling does.
        "device",
        # Has make_one_shot_iterator and make_initializable_iterator; has neither.
        "data.Dataset",
    )
)


def has_other_meaning(symbol: str) -> bool:
    """Whether a symbol, or the class or module it belongs to, means another thing in TF2."""
    name = symbol
    while name:
        if name in SEMANTICS:
            return True
        name = name.rpartition(".")[0]
    return False
