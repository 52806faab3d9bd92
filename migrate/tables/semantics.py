"""Symbols that exist in TF2 under TF1's name, or in compat.v1, but mean another thing.

The generated table compares objects and signatures; what it cannot see is here,
reviewed by hand. `tests/migrate/rules/test_symbols.py` measures the differences that
change numbers or types without an error; the others are read from the signatures and
the documentation of TensorFlow 1.15.5 and 2.21.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Semantics:
    """One changed meaning.

    Attributes:
      symbol: the TF1 symbol; everything below it is meant too.
      reason: what differs, TF1 first.
      keeps: the TF2 spelling that keeps TF1's meaning, "" where none does.
    """

    symbol: str
    reason: str
    keeps: str = ""


def _v1(name: str, reason: str) -> Semantics:
    """A namesake that differs while compat.v1's does not."""
    return Semantics(f"tf.{name}", reason, f"tf.compat.v1.{name}")


def _make_rows(reason: str, *names: str) -> tuple[Semantics, ...]:
    return tuple(_v1(name, reason) for name in names)


_MOD = (
    'a list of tables is read with strategy "mod" by default; tf.X always reads "div", '
    "so other rows are found"
)
_POSITION = "the third positional argument is `name` in TF1 and another one in tf.X"
_LEGACY_RESIZE = (
    "TF1 samples at pixel corners; tf.image.resize at pixel centres (0, .5, 1, 1 "
    "becomes 0, .25, .75, 1)"
)

_ROWS = (
    # Arrays.
    _v1(
        "where",
        "a vector condition selects rows of x and y; tf.where broadcasts it along the "
        "last axis",
    ),
    _v1("gather", "argument 4 is `name`; tf.gather's is `axis`"),
    _v1("batch_to_space", "(input, crops, block_size); tf.X takes block_shape first"),
    _v1("convert_to_tensor", _POSITION),
    _v1("map_fn", "`dtype` is deprecated for fn_output_signature; both still work"),
    _v1(
        "count_nonzero", "the result type and keepdims are as in tf.math, names differ"
    ),
    _v1(
        "confusion_matrix",
        "(labels, predictions, num_classes, dtype, name, weights); tf.math's fourth "
        "argument is `weights`",
    ),
    _v1("div", "integers floor; tf.divide gives a float"),
    *_make_rows(
        "a SparseTensor; tf.strings.split gives a RaggedTensor",
        "string_split",
        "strings.split",
    ),
    _v1(
        "while_loop",
        "one loop variable comes back bare, and the body may return it bare; tf.X "
        "wants and returns a list",
    ),
    # What tensors and shapes are.
    Semantics(
        "tf.Tensor",
        "`==` compared identity and tensors were keys of dicts; now `==` is "
        "elementwise and tensors cannot be hashed (use tensor.ref())",
    ),
    Semantics(
        "tf.TensorShape",
        "an item was a Dimension with .value; now it is an int or None",
        "tf.compat.dimension_value",
    ),
    Semantics("tf.Dimension", "shapes hold plain ints in TF2"),
    # Neural nets.
    *_make_rows(
        _MOD,
        "nn.embedding_lookup",
        "nn.embedding_lookup_sparse",
        "nn.safe_embedding_lookup_sparse",
        "nn.nce_loss",
        "nn.sampled_softmax_loss",
    ),
    _v1("nn.dropout", "keep_prob, what is kept, comes second; tf.X has rate there"),
    _v1(
        "nn.softmax_cross_entropy_with_logits",
        "no gradient flows into the labels; tf.X has one (as TF1's _v2)",
    ),
    _v1(
        "nn.ctc_loss",
        "(labels, inputs, sequence_length), labels sparse; tf.X takes (labels, logits, "
        "label_length, logit_length)",
    ),
    _v1("nn.ctc_beam_search_decoder", "merge_repeated is True; tf.X never merges"),
    _v1(
        "random_normal_initializer",
        "stddev is 1.0 by default; tf.X's is 0.05",
    ),
    _v1(
        "random_uniform_initializer",
        "the range is [0, 1) by default; tf.X's is [-0.05, 0.05)",
    ),
    # Images.
    *_make_rows(
        _LEGACY_RESIZE,
        "image.resize",
        "image.resize_images",
        "image.resize_bilinear",
        "image.resize_bicubic",
        "image.resize_nearest_neighbor",
        "image.resize_area",
        "image.resize_image_with_pad",
    ),
    # Randomness: compat.v1 is no remedy, so nothing is named that keeps it.
    *(
        Semantics(
            f"tf.{name}",
            "with an op seed the first draw is the same; with a graph seed alone the "
            "op seeds differ, and an eager op of one seed goes on with its stream",
        )
        for name in (
            "set_random_seed",
            "random.set_random_seed",
            "random_normal",
            "random_uniform",
            "random_shuffle",
            "truncated_normal",
            "multinomial",
        )
    ),
    # Variables and scopes.
    Semantics(
        "tf.Variable",
        "a reference whose earlier reads could see later writes; now a resource, read "
        "when asked. Collections are ignored, and an eager name is not made unique "
        "(two variables `q` are q and q, not q and q_1)",
    ),
    Semantics(
        "tf.name_scope",
        "entered twice, a name became a and a_1; eagerly it is a both times",
    ),
    Semantics(
        "tf.placeholder_with_default",
        "could be fed; eagerly it is its default",
    ),
    Semantics(
        "tf.make_template",
        "works eagerly too, and shares variables through its own store",
        "tf.compat.v1.make_template",
    ),
    # Training.
    *(
        Semantics(
            f"tf.train.{name}",
            "a tensor; eagerly it is a callable, which an optimizer of compat.v1 calls "
            "(Ftrl does not)",
            f"tf.compat.v1.train.{name}",
        )
        for name in (
            "cosine_decay",
            "cosine_decay_restarts",
            "exponential_decay",
            "inverse_time_decay",
            "linear_cosine_decay",
            "natural_exp_decay",
            "noisy_linear_cosine_decay",
            "piecewise_constant",
            "piecewise_constant_decay",
            "polynomial_decay",
        )
    ),
    Semantics(
        "tf.train.Optimizer",
        "minimize and compute_gradients take a loss tensor; eagerly they take a "
        "function that computes it",
    ),
    Semantics(
        "tf.train.Saver",
        "saves all variables by default; eagerly it must be given them, and save and "
        "restore take None as session, outside a tf.function",
        "tf.compat.v1.train.Saver",
    ),
    Semantics(
        "tf.train.init_from_checkpoint",
        "maps names and scopes of the graph's variables; eagerly only the variables "
        "themselves can be mapped",
        "tf.compat.v1.train.init_from_checkpoint",
    ),
    Semantics(
        "tf.train.global_step",
        "runs a session; eagerly it reads the variable, whatever the session is",
        "tf.compat.v1.train.global_step",
    ),
    Semantics(
        "tf.distribute.experimental.ParameterServerStrategy",
        "between-graph training in Estimators; since 2.4 tf.X is another class, for a "
        "coordinator, with a cluster resolver as its first argument",
    ),
    # Modules whose TF2 namesake is another library.
    _v1("losses", "functions that also collect; tf.losses is Keras"),
    _v1("metrics", "(value, update_op) pairs; tf.metrics is Keras classes"),
    _v1(
        "initializers",
        "TF1's own; tf.initializers is Keras, of version 2 or 3 by the environment",
    ),
    Semantics(
        "tf.summary",
        "ops that return serialised summaries; TF2's write to the default writer at "
        "the default step. compat.v1's scalar also writes there if both are set",
    ),
    _v1("saved_model.load", "(sess, tags, export_dir); tf.X takes export_dir first"),
    # Devices and data.
    _v1("device", "takes a function too; eagerly no spelling does"),
    _v1(
        "data.Dataset",
        "has make_one_shot_iterator and make_initializable_iterator; tf.X has neither",
    ),
)

SEMANTICS: dict[str, Semantics] = {row.symbol: row for row in _ROWS}


def find(symbol: str) -> Semantics | None:
    """The row of a symbol, or of the class or module it belongs to."""
    name = symbol
    while name:
        if name in SEMANTICS:
            return SEMANTICS[name]
        name = name.rpartition(".")[0]
    return None
