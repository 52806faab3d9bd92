"""A migrated copy of trees and files: where each file goes, and what goes along."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import os
import pathlib
import shutil
import stat
from collections.abc import Iterator

from migrate.disk import write
from migrate.disk.imported import find_imported
from migrate.disk.interrupts import defer_interrupts
from migrate.file_result import FileResult


class CopyError(ValueError):
    """The copy cannot be made where the user wants it."""


@dataclasses.dataclass(frozen=True)
class Copy:
    """Trees and files, and the directory that their migrated copy goes to.

    One tree becomes the directory itself; of several each keeps its name in it. All is
    made in another directory, the stage, and put in its place when it is complete: an
    interrupted run leaves nothing behind.

    Attributes:
      roots: the trees and files.
      output: where the copy is to be.
      stage: where it is made.
    """

    roots: tuple[pathlib.Path, ...]
    output: pathlib.Path
    stage: pathlib.Path

    @classmethod
    @contextlib.contextmanager
    def begin_copy(
        cls, roots: tuple[pathlib.Path, ...], output: pathlib.Path
    ) -> Iterator[Copy]:
        """A copy whose stage is removed at the end, published or not.

        Raises:
          CopyError: the copy cannot be made where the user wants it.
        """
        _check(roots, output)
        stage = None
        try:
            with defer_interrupts():
                # Within the directory if it is there: perhaps only it can be written to,
                # or it is a file system of its own.
                stage = _make_stage(output)
            yield cls(roots, output, stage)
        finally:
            if stage is not None:
                with defer_interrupts():
                    shutil.rmtree(stage, ignore_errors=True)

    def publish(self) -> None:
        """Puts the complete copy in its place.

        Raises:
          CopyError: it cannot be put there, and nothing is.
        """
        try:
            with defer_interrupts():
                if self.stage.parent == self.output:
                    for path in sorted(self.stage.iterdir()):
                        os.rename(path, self.output / path.name)
                else:
                    self.output.parent.mkdir(parents=True, exist_ok=True)
                    os.rename(self.stage, self.output)
        except OSError as error:
            reason = error.strerror or error
            raise CopyError(f"--output: {self.output}: {reason}") from None

    def _find_base(self, root: pathlib.Path) -> pathlib.Path:
        if os.path.isdir(root) and len(self.roots) == 1:
            return self.stage
        return self.stage / _find_name(root)

    def find_target(self, path: pathlib.Path) -> pathlib.Path:
        """Returns the path of a file's copy."""
        for root in self.roots:
            if path == root:
                return self._find_base(root)
            if os.path.isdir(root) and path.is_relative_to(root):
                return self._find_base(root) / path.relative_to(root)
        raise ValueError(f"{path} is in none of the paths")

    def make(self) -> list[FileResult]:
        """Copies everything as it is; what cannot be copied comes back as failures.

        Version control and byte code stay behind. A link within a tree stays one; of a
        link out of its tree to a file the file is copied, so that nothing written to
        the copy can reach the original.
        """
        failures: list[FileResult] = []
        for root in self.roots:
            base = self._find_base(root)
            if os.path.isdir(root):
                errors: list[OSError] = []
                for current, directories, files in os.walk(root, onerror=errors.append):
                    here = pathlib.Path(current)
                    directories[:] = sorted(
                        d for d in directories if d not in (".git", "__pycache__")
                    )
                    (base / here.relative_to(root)).mkdir(parents=True, exist_ok=True)
                    links = [d for d in directories if os.path.islink(here / d)]
                    for name in [*sorted(files), *links]:
                        source = here / name
                        target = base / source.relative_to(root)
                        failures += _copy(source, target, root)
                for error in errors:
                    reason = f"cannot be listed: {error.strerror}"
                    path = pathlib.Path(error.filename)
                    failures.append(FileResult(path).mark_failed("E001", reason))
            elif os.path.isfile(root):
                base.parent.mkdir(parents=True, exist_ok=True)
                failures += _copy(pathlib.Path(os.path.realpath(root)), base, root)
        return failures


def _check(roots: tuple[pathlib.Path, ...], output: pathlib.Path) -> None:
    """Tells before anything is copied that it cannot be.

    Raises:
      CopyError: the directory is not empty, or lies in a tree, or names clash; or a file
        imports others, which the copy would not have.
    """
    if os.path.lexists(output) and not (
        os.path.isdir(output) and not any(output.iterdir())
    ):
        raise CopyError(f"--output: {output} exists and is not an empty directory")
    inner = pathlib.Path(os.path.realpath(output))
    for root in roots:
        if os.path.isdir(root) and inner.is_relative_to(root.resolve()):
            raise CopyError("--output must not lie inside the tree that is copied")
    for root in roots:
        if not os.path.isdir(root) and (imported := find_imported(root)):
            raise CopyError(
                f"--output: {root} imports {imported[0]}. Name the directory that has both"
            )
    if len(roots) > 1:
        names = collections.Counter(map(_find_name, roots))
        for name, times in names.items():
            if times > 1:
                twice = f"{times} of the paths would both be {output / name}"
                raise CopyError(f"--output: {twice}")


def _make_stage(output: pathlib.Path) -> pathlib.Path:
    try:
        return write.make_stage(output)
    except OSError as error:
        reason = error.strerror or error
        raise CopyError(f"--output: {output} cannot be made: {reason}") from None


def _find_name(root: pathlib.Path) -> str:
    """Returns the name of a tree or file in a copy of several."""
    return root.name if root.name not in ("", "..") else root.resolve().name


@dataclasses.dataclass(frozen=True)
class Backup:
    """The originals of files that are changed in place, at their places below `root`."""

    root: pathlib.Path
    directory: pathlib.Path

    def check(self) -> None:
        """Tells before anything is changed that originals cannot be kept there.

        Raises:
          CopyError: the directory is not empty.
        """
        if os.path.exists(self.directory) and not (
            os.path.isdir(self.directory) and not any(self.directory.iterdir())
        ):
            raise CopyError(
                f"--backup: {self.directory} exists and is not an empty directory"
            )

    def copy_program(self, program: list[FileResult]) -> list[FileResult]:
        """Copies the files of a program that will change; what fails is left unchanged."""
        kept = []
        base = self.root if self.root.is_dir() else self.root.parent
        for result in program:
            if result.changed:
                relative = os.path.relpath(result.path, base).replace("..", "_")
                target = self.directory / relative
                try:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(result.path, target)
                except OSError as error:
                    reason = f"no backup can be made: {error.strerror or error}"
                    result = result.mark_failed("E006", reason)
            kept.append(result)
        if any(result.failed and not result.changed for result in kept) and any(
            result.changed for result in kept
        ):
            return [
                r if r.failed else r.mark_failed("E006", "no backup of its program")
                for r in kept
            ]
        return kept


def _copy(
    source: pathlib.Path, target: pathlib.Path, root: pathlib.Path
) -> Iterator[FileResult]:
    try:
        if os.path.islink(source):
            link = os.readlink(source)
            real = pathlib.Path(os.path.realpath(source))
            inside = not os.path.isabs(link) and real.is_relative_to(root.resolve())
            if inside or os.path.isdir(real) or not os.path.exists(real):
                target.symlink_to(link)
                return
        if not stat.S_ISREG(os.stat(source).st_mode):
            reason = "cannot be copied: not a regular file"
            yield FileResult(source).mark_failed("E001", reason)
            return
        shutil.copy2(source, target)
    except OSError as error:
        reason = f"cannot be copied: {error.strerror or error}"
        yield FileResult(source).mark_failed("E001", reason)
