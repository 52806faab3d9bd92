"""Names of tf.contrib.tensorboard.plugins.projector, which TensorBoard has now.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and the package tensorboard.
"""

# What your program takes from here.
# ruff: noqa: F401

from tensorboard.plugins.projector import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    visualize_embeddings,
)
