"""tf.contrib.seq2seq in graph mode: decoders, helpers, attention, beam search.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, with `tf.compat.v1.disable_v2_behavior()` and Keras 2's cells
(`TF_USE_LEGACY_KERAS=1`). Variables have TF1's names and shapes, so that TF1's
checkpoints fit.
"""

# What your program takes from here.
# ruff: noqa: F401

from .attention import AttentionMechanism, BahdanauAttention, LuongAttention, hardmax
from .beam_search import (
    BeamSearchDecoder,
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
)
from .beams import gather_tree, tile_batch
from .decoding import BasicDecoder, BasicDecoderOutput, Decoder, dynamic_decode
from .helpers import (
    CustomHelper,
    GreedyEmbeddingHelper,
    Helper,
    InferenceHelper,
    SampleEmbeddingHelper,
)
from .monotonic import (
    BahdanauMonotonicAttention,
    LuongMonotonicAttention,
    monotonic_attention,
    safe_cumprod,
)
from .training_helpers import (
    ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper,
    TrainingHelper,
)
from .wrapper import AttentionWrapper, AttentionWrapperState
