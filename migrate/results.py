"""Results on the disk: a migrated file, and the modules that it imports beside it."""

from __future__ import annotations

import os
import pathlib

from migrate import emitted
from migrate.disk import write
from migrate.pipeline import FileResult

NAME_TAKEN = "G006"


def check_support(result: FileResult, target: pathlib.Path) -> FileResult:
    """The result, or its failure where a file of the user's has an emitted module's name.

    Args:
      target: where the result is to be written.
    """
    target = pathlib.Path(os.path.realpath(target))
    for name in result.support:
        beside = result.place(name, target)
        rival = result.place(emitted.rival(name), target)
        try:
            mine = not beside.exists() or beside.read_bytes() == emitted.source(name)
        except OSError:
            mine = False
        if mine and not rival.exists():
            continue
        taken, why = name, "is not the one that the result imports"
        if mine:
            taken = emitted.rival(name)
            why = f"hides {emitted.shown([name])[0]}, which the result imports"
        beside_it = not result.support_at
        where = "beside it" if beside_it else f"in {target.parent / result.support_at}"
        return result.with_failure(
            NAME_TAKEN,
            f"{taken} stands {where} and {why}",
            f"Rename or remove {taken}, and migrate again.",
        )
    return result


def write_result(
    result: FileResult, target: pathlib.Path, *, own_copy: bool = False
) -> FileResult:
    """Writes one result and the modules it needs; a failure is added to the findings.

    The modules come first: a program without them would not start.

    Args:
      own_copy: the target is a copy that this run made, so it may be read-only.
    """
    result = check_support(result, target)
    if not result.changed:
        return result
    try:
        if not own_copy:
            write.check_writable(target)
        present = target.read_bytes()
        if present == result.new:
            return result  # Through a link to it.
        if present != result.old:
            return result.with_failure(
                "E006", "it was changed while tf1to2 ran", "Run tf1to2 again."
            )
        for name in result.support:
            beside = result.place(name, target.resolve())
            if not beside.exists():
                beside.parent.mkdir(exist_ok=True)  # Of a package.
                write.atomically(beside, emitted.source(name))
        write.atomically(target, result.new)
    except OSError as error:
        reason = error.strerror or str(error)
        return result.with_failure("E006", f"cannot be written: {reason}")
    return result
