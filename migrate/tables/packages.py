"""Maps the requirements of a TensorFlow 1 project to those for TensorFlow 2."""

from __future__ import annotations

# Package -> its name and bounds with TensorFlow 2. The bounds are those of tf1to2[reference].
PACKAGES = {
    "tensorflow": "tensorflow>=2.15,<2.22",
    # These have no releases for TensorFlow 2.16 and later. The first contains both.
    "tensorflow-gpu": "tensorflow[and-cuda]>=2.15,<2.22",
    "tensorflow-cpu": "tensorflow-cpu>=2.15,<2.22",
    # TensorFlow 2 itself requires it. A bound from TensorFlow 1's time would clash with that.
    "tensorboard": "tensorboard>=2.15,<2.22",
}
# conda has no extras. It still has a package of this name.
CONDA = PACKAGES | {"tensorflow-gpu": "tensorflow-gpu>=2.15,<2.22"}
# Packages that old projects pin -> the lowest versions that TensorFlow 2.15 accepts.
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
# Migrated programs that import tf_keras need it besides TensorFlow.
KERAS = "tf-keras>=2.15,<2.22"
# The requirement for an image below. A newer one would replace the image's own TensorFlow.
KERAS_OF_IMAGE = "tf-keras~=2.15.0"

# The image that replaces TensorFlow 1's: the oldest release that migrated programs are
# tested on, because its tag is known to exist for both processors.
IMAGE = "tensorflow/tensorflow:2.15.0"
PYTHONS = ((3, 10), (3, 13))
