"""TF1 packages of the package index, by version and digest, and their files on disk."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile


class Unavailable(Exception):
    """The package index cannot be reached, or does not have what is asked for."""


@dataclasses.dataclass(frozen=True)
class Package:
    """One wheel.

    Attributes:
      name, version: as the package index has them.
      digest: SHA-256 of the wheel.
    """

    name: str
    version: str
    digest: str


PACKAGES = (
    Package(
        "OpenNMT-tf",
        "1.25.3",
        "21cbd041b91493663c35a7e3768478f83b99d9a2d1aca90d5396880505358413",
    ),
    Package(
        "adanet",
        "0.9.0",
        "75decb63b3b6fd1feb5dc73c42aaafa7b6195e9092ffb0fc6540bdf1d5490bd1",
    ),
    Package(
        "bert-tensorflow",
        "1.0.1",
        "3f35ada6769f91e88c69b11b24fde7ff2d61a9d8b3c2a29229c1fdaee50354a0",
    ),
    Package(
        "mesh-tensorflow",
        "0.1.21",
        "747d46696ad260ae59a566fc1726749b99080973b07aae098be5714931a3ad80",
    ),
    Package(
        "tensor2tensor",
        "1.15.7",
        "26ef986c2b9f45bdefa4218229f33f2992e4d9df84f8939d41481cdaa8444392",
    ),
    Package(
        "tensorflow-estimator",
        "1.15.1",
        "8853bfb7c3c96fbdc80b3d66c37a10af6ccbcd235dc87474764270c02a0f86b9",
    ),
    Package(
        "tensorflow-ranking",
        "0.1.6",
        "f9fb3ccffc0e8f8c73363ad612a99edb4d83284b18b4a58286c146adc7077ae3",
    ),
    Package(
        "tf_slim",
        "1.1.0",
        "fa2bab63b3925bd42601102e7f178dce997f525742596bf404fa8a6918e146ff",
    ),
)


def cache() -> pathlib.Path:
    """Returns the directory of wheels that are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return pathlib.Path(base).expanduser() / "tf1to2" / "corpus"


def _digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _wheel(package: Package) -> pathlib.Path:
    """The wheel, from the cache or the package index.

    Raises:
      Unavailable: the index did not give it.
      ValueError: it gave another file.
    """
    for path in cache().glob("*.whl"):
        if _digest(path) == package.digest:
            return path
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as directory:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-input", "--disable-pip-version-check", "--dest", directory]
        command += ["--only-binary", ":all:", f"{package.name}=={package.version}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"{package.name}: {error}") from None
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
            raise Unavailable(f"{package.name}: {reason}")
        (path,) = pathlib.Path(directory).glob("*.whl")
        if _digest(path) != package.digest:
            raise ValueError(f"{path.name} is another file than the one recorded")
        return path.replace(cache() / path.name)


@functools.cache
def unpacked(package: Package, where: pathlib.Path) -> pathlib.Path:
    """A package's files below `where`."""
    target = where / package.name
    with zipfile.ZipFile(_wheel(package)) as archive:
        archive.extractall(target)
    return target
