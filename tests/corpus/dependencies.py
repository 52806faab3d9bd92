"""What the corpus's packages import besides TensorFlow and each other, in the cache.

Releases that go with TensorFlow 2.21 and a current Python, whatever the packages' own
pins say (they are of 2019: numpy below 2, protobuf below 4). Installed without their
own requirements into a directory that is added behind everything else on Python's path,
so that nothing here can replace what TensorFlow was installed with.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import sys

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
    *("tensorflow-probability==0.25.0", "toml==0.10.2", "tqdm==4.67.1", "zipp==3.23.0"),
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
    """Where they are, installed if need be.

    Raises:
      Unavailable: the package index did not give them.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256("\n".join(PINNED).encode()).hexdigest()[:12]
    target = cache() / f"dependencies-{version}-{digest}"
    if target.exists():
        return target
    cache().mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{target}.lock"):  # Two may want it at the same time.
        if not target.exists():
            _install(target)
    return target


def _install(target: pathlib.Path) -> None:
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--no-input", "--disable-pip-version-check", "--no-compile"]
    command += ["--target", str(unfinished), *PINNED]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"the packages' dependencies: {error}") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise Unavailable(f"the packages' dependencies: {reason}")
    unfinished.replace(target)
