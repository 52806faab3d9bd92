"""Installs what the corpus imports besides TensorFlow and each other, in the cache.

The releases go with TensorFlow 2.21 and a current Python, whatever the packages' own
pins say (they are of 2019: numpy below 2, protobuf below 4). Others go with TensorFlow
1.15.5 and Python 3.7, for the packages as they are. They are installed without their
own requirements into a directory that is added behind everything else on Python's path,
so that nothing here can replace what TensorFlow was installed with.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Sequence

import filelock

from tests.corpus.packages import Unavailable, cache

PINNED = (
    *("array-record==0.8.3", "beautifulsoup4==4.14.3", "cloudpickle==3.1.2"),
    *("decorator==5.2.1", "dm-tree==0.1.9", "docstring-parser==0.17.0"),
    *("etils==1.13.0", "fsspec==2025.12.0", "gin-config==0.5.0", "gym==0.26.2"),
    *("gym-notices==0.1.0", "immutabledict==4.2.2", "importlib_resources==6.5.2"),
    *(
        "mock==5.2.0",
        "mpmath==1.3.0",
        "nose==1.3.7",
        "promise==2.3",
        "pypng==0.20220715.0",
    ),
    *("PyYAML==6.0.3", "scipy==1.15.3", "simple-parsing==0.1.7", "soupsieve==2.8"),
    *("sympy==1.14.0", "tensorflow-datasets==4.9.9", "tensorflow-metadata==1.17.2"),
    "tensorflow-hub==0.16.1",
    *(
        "tensorboard==2.20.0",
        "tensorflow-probability==0.25.0",
        "toml==0.10.2",
        "tqdm==4.67.1",
        "zipp==3.23.0",
    ),
)
# For Python 3.7.
PINNED_TF1 = (
    *("certifi==2024.7.4", "charset-normalizer==3.3.2", "cloudpickle==2.2.1"),
    *("decorator==5.1.1", "dill==0.3.7", "dm-tree==0.1.8", "etils==0.9.0"),
    *("click==8.1.7", "future==1.0.0"),
    *("gin-config==0.5.0", "gym==0.26.2", "gym-notices==0.0.8", "idna==3.7"),
    *("importlib-resources==5.12.0", "mock==5.2.0", "mpmath==1.3.0", "nltk==3.8.1"),
    *("promise==2.3", "pypng==0.20220715.0", "PyYAML==6.0.1", "requests==2.31.0"),
    *("rouge==1.0.0", "scipy==1.7.3", "sympy==1.10.1", "tensorflow-datasets==4.8.2"),
    *("tensorflow-hub==0.12.0", "tensorflow-metadata==1.12.0"),
    *("tensorflow-probability==0.7.0", "toml==0.10.2", "tqdm==4.67.1"),
    *("urllib3==1.26.18",),
)
# Modules of packages that are not installed: why an import of them fails.
LEFT_OUT = {
    "tensorflow_addons": "its last release is for TensorFlow 2.15 and Keras 2",
    "horovod": "it is built against an MPI",
    "cleverhans": "its releases with this module are for TensorFlow 1",
    "dopamine": "its releases with this module are for TensorFlow 1",
    "kfac": "its last release is for TensorFlow 1",
    "tensorflow_serving": "its releases pin another TensorFlow",
}


def directory() -> pathlib.Path:
    """Returns the directory of those for this Python; installs them if need be.

    Raises:
      Unavailable: the package index did not give them.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return _directory(sys.executable, version, PINNED)


def directory_for_tf1(python: str) -> pathlib.Path:
    """Returns the directory of those for TensorFlow 1.15.5's Python, as `directory`."""
    return _directory(python, "3.7", PINNED_TF1)


def _directory(python: str, version: str, pinned: Sequence[str]) -> pathlib.Path:
    digest = hashlib.sha256("\n".join(pinned).encode()).hexdigest()[:12]
    target = cache() / f"dependencies-{version}-{digest}"
    if target.exists():
        return target
    cache().mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{target}.lock"):  # Two may want it at the same time.
        if not target.exists():
            _install(python, pinned, target)
    return target


def _install(python: str, pinned: Sequence[str], target: pathlib.Path) -> None:
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--no-input", "--disable-pip-version-check", "--no-compile"]
    command += ["--target", str(unfinished), *pinned]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"the packages' dependencies: {error}") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise Unavailable(f"the packages' dependencies: {reason}")
    unfinished.replace(target)
