"""Results on the disk: migrated programs, and the modules that they import beside them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
from collections.abc import Callable, Sequence

from migrate import emitted, outcomes
from migrate.beside.files import is_unchanged
from migrate.beside.written import Beside
from migrate.disk import interrupts, write
from migrate.file_result import FileResult

NAME_TAKEN = "G006"
_AT_ONCE = 200  # Files that are open together.


def check_support(result: FileResult, target: pathlib.Path) -> FileResult:
    """The result, or its failure where a file of the user's has an emitted module's name.

    Args:
      target: where the result is to be written.
    """
    target = pathlib.Path(os.path.realpath(target))
    for name in result.support:
        beside = result.place_module(name, target)
        rival = result.place_module(emitted.name_rival(name), target)
        mine = not os.path.lexists(beside) or is_unchanged(
            name, result.place_module("", target)
        )
        if mine and not os.path.exists(rival):
            continue
        taken, why = name, "is not the one that the result imports"
        if mine:
            taken = emitted.name_rival(name)
            why = (
                f"hides {emitted.name_for_reader([name])[0]}, which the result imports"
            )
        beside_it = not result.support_at
        where = (
            "beside it" if beside_it else f"in {result.path.parent / result.support_at}"
        )
        return result.mark_failed(
            NAME_TAKEN,
            f"{taken} stands {where} and {why}",
            f"Rename or remove {taken}, and migrate again.",
        )
    return result


def check_target(
    result: FileResult, target: pathlib.Path, *, own_copy: bool = False
) -> FileResult:
    """The result, or its failure where it could not be written.

    Args:
      target: where the result is to be written.
      own_copy: the target is a copy that this run made, so it may be read-only.
    """
    result = check_support(result, target)
    if not result.changed:
        return result
    try:
        if not own_copy:
            write.check_writable(target)
    except OSError as error:
        return _report_not_written(result, error)
    return result


def write_program(
    results: Sequence[FileResult],
    target: Callable[[pathlib.Path], pathlib.Path] = lambda path: path,
    beside: Beside | None = None,
) -> list[FileResult]:
    """Writes the files of a program, and the modules they need: all of them, or none.

    What fails is added to the findings. The modules come first: a program without them
    would not start.

    Args:
      target: where a file is written.
      beside: the modules of all programs of the run; by default of this one.
    """
    if not any(result.changed for result in results):
        return list(results)
    beside = beside or Beside(results, target)
    for number, result in enumerate(results):
        failed = _check_unchanged(result, target(result.path))
        if failed is not None:
            return _hold([*results[:number], failed, *results[number + 1 :]])
    undo = contextlib.ExitStack()
    current = results[0]
    try:
        with interrupts.defer_interrupts():
            changed = [result for result in results if result.changed]
            for first in range(0, len(changed), _AT_ONCE):
                with contextlib.ExitStack() as stack:
                    stages = []
                    for current in changed[first : first + _AT_ONCE]:
                        path = target(current.path)
                        _write_support(current, beside, undo)
                        stage = stack.enter_context(
                            write.stage_bytes(path, current.new)
                        )
                        stages.append((current, path, stage))
                    for current, path, stage in stages:
                        stage.replace()
                        undo.callback(write.write_atomically, path, current.old)
    except OSError as error:
        with contextlib.suppress(OSError):
            undo.close()
        failed = _report_not_written(current, error)
        return _hold([failed if r is current else r for r in results])
    undo.pop_all()
    return list(results)


def write_result(
    result: FileResult,
    target: pathlib.Path,
    *,
    own_copy: bool = False,
    whole: bool = False,
) -> FileResult:
    """Writes one result and the modules it needs; a failure is added to the findings.

    Args:
      whole: the modules are written whole, whatever of them is reached.
      own_copy: the target is a copy that this run made, so it may be read-only.
    """
    checked = check_target(result, target, own_copy=own_copy)
    beside = Beside([checked], lambda path: target, whole)
    return write_program([checked], lambda path: target, beside)[0]


def _check_unchanged(result: FileResult, target: pathlib.Path) -> FileResult | None:
    """The failure of a result whose file is not the one that was migrated."""
    if not result.changed:
        return None
    try:
        if target.read_bytes() in (result.old, result.new):  # The new: through a link.
            return None
    except OSError as error:
        return _report_not_written(result, error)
    return result.mark_failed(
        "E006", "it was changed while tf1to2 ran", "Run tf1to2 again."
    )


def _write_support(
    result: FileResult, beside: Beside, undo: contextlib.ExitStack
) -> None:
    directory = beside.find_home(result)
    for name, data in beside.list_changes(directory) if result.support else ():
        path = directory / name
        old = path.read_bytes() if os.path.lexists(path) else None
        path.parent.mkdir(exist_ok=True)  # Of a package.
        beside.replaced.setdefault(path, old)
        write.write_atomically(path, data)
        if old is None:
            undo.callback(_remove, path)
        else:
            undo.callback(write.write_atomically, path, old)


def take_back_modules(beside: Beside, needed: Beside) -> None:
    """After an interrupt: leaves of the modules what the written programs need.

    Args:
      beside: the modules of the whole run, some of which were written.
      needed: those of the programs that were written.
    """
    with interrupts.defer_interrupts(), contextlib.suppress(OSError):
        for path, old in beside.replaced.items():
            if old is None:
                _remove(path)
            else:
                write.write_atomically(path, old)
        for directory in needed.list_homes():
            for name, data in needed.list_changes(directory):
                (directory / name).parent.mkdir(exist_ok=True)
                write.write_atomically(directory / name, data)


def _remove(path: pathlib.Path) -> None:
    """Removes a module that was written, and its package if that is empty then."""
    path.unlink(missing_ok=True)
    if path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _report_not_written(result: FileResult, error: OSError) -> FileResult:
    reason = error.strerror or str(error)
    return result.mark_failed("E006", f"cannot be written: {reason}")


def _hold(results: Sequence[FileResult]) -> list[FileResult]:
    """The results of a program of which one file cannot be written."""
    again = [dataclasses.replace(r, status=None) for r in results]
    reason = outcomes.find_reason(r for r in again if r.failed)
    return [
        dataclasses.replace(
            held,
            status=outcomes.find_status(held),
            program=r.program,
            entries=r.entries,
        )
        for r in again
        for held in [outcomes.hold(r, reason)]
    ]
