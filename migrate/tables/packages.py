"""What a project asks for to have TensorFlow 1, and what it is to ask for instead."""

from __future__ import annotations

# Package -> its name and bounds with TensorFlow 2. The bounds are those of tf1to2[reference].
PACKAGES = {
    "tensorflow": "tensorflow>=2.15,<2.22",
    # These have no releases for TensorFlow 2.16 and later; the first has both inside.
    "tensorflow-gpu": "tensorflow[and-cuda]>=2.15,<2.22",
    "tensorflow-cpu": "tensorflow-cpu>=2.15,<2.22",
    # TensorFlow's own requirement of it would clash with TensorFlow 1's.
    "tensorboard": "tensorboard>=2.15,<2.22",
}
# conda has no extras; its package of this name stayed.
CONDA = PACKAGES | {"tensorflow-gpu": "tensorflow-gpu>=2.15,<2.22"}
# The lowest versions that TensorFlow 2.15 takes, of packages that TensorFlow 1's time pinned.
LOWEST = {
    "absl-py": "1.0",
    "keras": "2.15",
    "numpy": "1.23.5",
    "protobuf": "3.20.3",
}
# Packages of TensorFlow 1's time, and what to do about them by hand.
BY_HAND = {
    "tensorflow-estimator": (
        "remove it; programs that `--fallback compat` wrote with graph_estimators.py need "
        "tensorflow-estimator==2.15.0"
    ),
    "tf-nightly": "ask for a release: tensorflow>=2.15,<2.22",
    "tf-nightly-gpu": "ask for a release: tensorflow[and-cuda]>=2.15,<2.22",
}
# Results that import tf_keras need it beside TensorFlow.
KERAS = "tf-keras>=2.15,<2.22"
# The one for an image below: a newer one would replace the image's own TensorFlow.
KERAS_OF_IMAGE = "tf-keras~=2.15.0"

# The image that stands for TensorFlow 1's: the oldest release that results are tested on,
# because its tag is known to exist for both processors.
IMAGE = "tensorflow/tensorflow:2.15.0"
PYTHONS = ((3, 10), (3, 13))
