"""`tf1to2 checkpoint inspect|compare|convert`."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import click

from reference.tf1_checkpoint import contents
from reference.tf1_checkpoint.bundle import Bundle, Entry, find_prefix
from reference.tf1_checkpoint.contents import (
    AVERAGE,
    COUNTER,
    SLOT,
    STEP,
    VARIABLE,
    Item,
)
from reference.tf1_checkpoint.matching import (
    STRATEGIES,
    Choices,
    Match,
    Wanted,
    match,
    summarise_left,
)
from reference.tf1_checkpoint.tables import Unreadable


@click.group()
def checkpoint() -> None:
    """List, compare and convert TensorFlow 1 checkpoints.

    SRC is a checkpoint's prefix (model.ckpt-100), one of its files, or a directory, of
    which the newest checkpoint is taken.
    """


@checkpoint.command()
@click.argument("source", metavar="SRC", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def inspect(source: str, as_json: bool) -> None:
    """List the variables of a checkpoint, each with its optimizer slots."""
    bundle = _open(source)
    items = contents.classify(bundle.entries)
    if as_json:
        click.echo(json.dumps(_as_json(bundle, items), indent=1))
        return
    for line in _listing(bundle, items):
        click.echo(line)


@checkpoint.command()
@click.argument("first", metavar="A", type=click.Path())
@click.argument("second", metavar="B", type=click.Path())
@click.option(
    "--tolerance",
    default=0.0,
    show_default=True,
    help="Ignore differences up to this.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(first: str, second: str, tolerance: float, as_json: bool) -> None:
    """List the differences of two checkpoints. Exits with 1 if there are any."""
    _need_packages()
    from reference.tf1_checkpoint import comparing

    one, other = _open(first), _open(second)
    for bundle in (one, other):
        _check_bytes(bundle, bundle.entries.values())
    try:
        found = list(comparing.compare(one, other, tolerance))
    except Unreadable as error:
        _stop(str(error))
    if as_json:
        rows = [{"name": d.name, "what": d.what, "largest": d.largest} for d in found]
        click.echo(json.dumps({"differences": rows}, indent=1))
    else:
        for line in _table([(d.name, d.what) for d in found]):
            click.echo(line)
        total = len(one.entries.keys() | other.entries.keys())
        click.secho(
            f"{len(found)} of {total} entries differ."
            if found
            else f"Equal: {total} entries"
            + (f", within {tolerance:g}." if tolerance else "."),
            bold=True,
        )
    sys.exit(1 if found else 0)


@checkpoint.command()
@click.argument("source", metavar="SRC", type=click.Path())
@click.argument(
    "target", metavar="DST", type=click.Path(dir_okay=False, path_type=pathlib.Path)
)
@click.option(
    "--model",
    metavar="FILE.py:FUNCTION",
    help="The function that builds the Keras model, for a .weights.h5.",
)
@click.option(
    "--like",
    type=click.Path(),
    metavar="CHECKPOINT",
    help="A tf.train.Checkpoint that the new program wrote; DST gets the same objects.",
)
@click.option(
    "--names",
    type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path),
    metavar="FILE",
    help='JSON: {"new name": "old name"}, for weights that have a new name.',
)
@click.option(
    "--leave",
    multiple=True,
    metavar="GLOB",
    help="Leave out these variables. Repeatable.",
)
@click.option(
    "--partition-strategy",
    "strategies",
    multiple=True,
    metavar="[NAME=]div|mod",
    help="How the ids of a partitioned variable were divided among its parts. "
    "Repeatable.",
)
@click.option(
    "--averages", is_flag=True, help="Write moving averages instead of their variables."
)
@click.option(
    "--weights-only",
    is_flag=True,
    help="Leave out optimizer slots and the step: the optimizer begins anew.",
)
def convert(
    source: str,
    target: pathlib.Path,
    model: str | None,
    like: str | None,
    names: pathlib.Path | None,
    leave: tuple[str, ...],
    strategies: tuple[str, ...],
    averages: bool,
    weights_only: bool,
) -> None:
    """Write a checkpoint for Keras or TensorFlow 2.

    DST is a .weights.h5 of Keras, or a tf.train.Checkpoint.

    If a weight is missing, extra, or of another shape or type, the command lists it,
    writes nothing, and exits with 1. DST must not exist.
    """
    _need_packages()
    bundle = _open(source)
    is_h5 = target.suffix == ".h5"
    _check_target(target, is_h5, model, like)
    choices = Choices(
        _read_names(names),
        leave,
        averages,
        weights_only,
        dict(_read_strategy(given) for given in strategies),
    )
    items = contents.classify(bundle.entries)
    template: Bundle | None = None
    generators: list[str] = []
    if model is not None:
        wanted, generators = _read_model(model)
    elif like is not None:
        from reference.tf1_checkpoint.object_graph import read_template

        template = _open(like)
        if not template.object_based:
            raise click.UsageError(f"--like {like}: no tf.train.Checkpoint wrote it")
        wanted = read_template(template)
    else:
        wanted = _wanted_by_names(items, choices)
    found = match(wanted, items, choices)
    if found.problems:
        for line in _table([(p.name, p.what) for p in found.problems]):
            click.echo(line, err=True)
        count = len(found.problems)
        click.secho(
            f"{count} entr{'y does' if count == 1 else 'ies do'} not fit; nothing is "
            "written.",
            bold=True,
            err=True,
        )
        sys.exit(1)
    _write(bundle, found, template, generators, target, is_h5)


def _write(
    bundle: Bundle,
    found: Match,
    template: Bundle | None,
    generators: Sequence[str],
    target: pathlib.Path,
    is_h5: bool,
) -> None:
    from reference.tf1_checkpoint import writing

    _check_bytes(bundle, [one.entry for one in found.taken])
    total = sum(one.entry.bytes for one in found.taken)
    with click.progressbar(
        length=total, label="bytes", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        if is_h5:
            writing.write_h5(bundle, found.taken, generators, target, bar.update)
        else:
            kept = [one.names[0] for one in found.kept]
            writing.write_object_based(
                bundle, found.taken, template, kept, target, bar.update
            )
    for one in found.kept:
        click.echo(f"{one.shown} keeps the value of --like.")
    for key in generators:
        click.echo(f"{key}: a generator of random numbers begins anew.")
    left = summarise_left(found.left)
    if left:
        click.echo(f"Not taken: {', '.join(left)}.")
    click.secho(
        f"Wrote {target}: {len(found.taken)} entries, {_size(total)}.", bold=True
    )


def _check_bytes(bundle: Bundle, entries: Iterable[Entry]) -> None:
    """Ends the command where a file is damaged."""
    try:
        for entry in entries:
            bundle.check(entry)
    except Unreadable as error:
        _stop(f"{bundle.prefix}: {error}")


def _check_target(
    target: pathlib.Path, is_h5: bool, model: str | None, like: str | None
) -> None:
    if is_h5 and not target.name.endswith(".weights.h5"):
        raise click.UsageError("DST: Keras reads such a file only as *.weights.h5")
    if is_h5 and model is None:
        raise click.UsageError(
            "a .weights.h5 has no names of variables: say --model FILE.py:FUNCTION"
        )
    if is_h5 and like is not None:
        raise click.UsageError("--like is for a tf.train.Checkpoint")
    if not is_h5 and model is not None:
        raise click.UsageError(
            "--model is for a .weights.h5; a Checkpoint takes --like"
        )
    written = target if is_h5 else target.with_name(target.name + ".index")
    if written.exists():
        raise click.UsageError(f"{written} exists")
    if not target.absolute().parent.is_dir():
        raise click.UsageError(f"there is no directory {target.parent}")


def _read_model(place: str) -> tuple[list[Wanted], list[str]]:
    from reference.tf1_checkpoint import keras_model

    try:
        return keras_model.read_model(place)
    except keras_model.NoModel as error:
        raise click.UsageError(str(error)) from error


def _wanted_by_names(items: dict[str, Item], choices: Choices) -> list[Wanted]:
    """Every variable and the step, where no program says what it wants."""
    from reference.tf1_checkpoint.writing import key_of_name

    return [
        Wanted(key_of_name(name), (name,), item.entry.shape, item.entry.dtype)
        for name, item in items.items()
        if item.kind == VARIABLE or (item.kind == STEP and not choices.weights_only)
    ]


def _read_names(path: pathlib.Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        read = json.loads(path.read_text())
    except ValueError as error:
        raise click.UsageError(f"--names {path}: {error}") from error
    if not isinstance(read, dict) or not all(isinstance(v, str) for v in read.values()):
        raise click.UsageError(f'--names {path}: it is {{"new name": "old name"}}')
    return read


def _read_strategy(given: str) -> tuple[str, str]:
    pattern, _, strategy = given.rpartition("=")
    if strategy not in STRATEGIES:
        raise click.UsageError(f"--partition-strategy {given}: it ends in div or mod")
    return pattern or "*", strategy


def _open(source: str) -> Bundle:
    try:
        return Bundle(find_prefix(source))
    except Unreadable as error:
        _stop(f"{source}: {error}")


def _stop(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(2)


def _need_packages() -> None:
    try:
        import google_crc32c  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        from migrate.extras import install_line

        _stop(f"this needs {error.name}: {install_line()}")


# -- what is shown --------------------------------------------------------------------


def _listing(bundle: Bundle, items: dict[str, Item]) -> Iterator[str]:
    """Variables with their slots and averages below, then what has no variable."""
    of: dict[str, list[Item]] = {}
    for item in items.values():
        if item.of:
            of.setdefault(item.of, []).append(item)
    yield click.style(str(bundle.prefix), bold=True)
    rows: list[tuple[str, str]] = []
    for name in sorted(items):
        item = items[name]
        if item.of:
            continue
        note = "" if item.kind == VARIABLE else item.kind
        rows.append((name, _shown(item, note)))
        for own in sorted(of.get(name, ()), key=lambda i: i.entry.name):
            note = f"{own.optimizer}'s {own.slot}" if own.kind == SLOT else own.kind
            rows.append((f"  {own.entry.name}", _shown(own, note)))
    yield from _table(rows)
    yield from _totals(bundle, items)


def _shown(item: Item, note: str) -> str:
    entry = item.entry
    shape = "×".join(map(str, entry.shape)) or "scalar"
    parts = f", {len(entry.parts)} parts" if len(entry.parts) > 1 else ""
    return f"{entry.dtype} {shape}{parts}{f'  {note}' if note else ''}"


def _totals(bundle: Bundle, items: dict[str, Item]) -> Iterator[str]:
    def of_kind(kind: str) -> list[Item]:
        return [i for i in items.values() if i.kind == kind]

    variables = of_kind(VARIABLE)
    yield ""
    values = sum(i.entry.size for i in variables)
    size = _size(sum(i.entry.bytes for i in variables))
    yield click.style(
        f"{len(variables)} variables, {values:,} values, {size}", bold=True
    )
    optimizers: dict[str, list[Item]] = {}
    for item in of_kind(SLOT):
        optimizers.setdefault(item.optimizer, []).append(item)
    for name, slots in sorted(optimizers.items()):
        kinds = ", ".join(dict.fromkeys(s.slot for s in slots))
        yield (
            f"{name}: {len(slots)} slots ({kinds}), "
            f"{_size(sum(s.entry.bytes for s in slots))}"
        )
    for kind in (AVERAGE, COUNTER):
        if of_kind(kind):
            names = ", ".join(i.entry.name for i in of_kind(kind))
            count = len(of_kind(kind))
            yield f"{count} × {kind}" + (f": {names}" if kind == COUNTER else "")
    for item in of_kind(STEP):
        yield f"{item.entry.name}: {_value(bundle, item)}"


def _value(bundle: Bundle, item: Item) -> str:
    try:
        return str(int(bundle.rows(item.entry)))
    except ImportError:
        return "its value needs NumPy"


def _as_json(bundle: Bundle, items: dict[str, Item]) -> dict[str, Any]:
    return {
        "prefix": str(bundle.prefix),
        "object_based": bundle.object_based,
        "entries": [
            {
                "name": name,
                "key": item.entry.key,
                "kind": item.kind,
                "dtype": item.entry.dtype,
                "shape": list(item.entry.shape),
                "parts": len(item.entry.parts),
                "bytes": item.entry.bytes,
                "of": item.of or None,
                "optimizer": item.optimizer or None,
                "slot": item.slot or None,
            }
            for name, item in sorted(items.items())
        ],
    }


def _table(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max((len(name) for name, _ in rows), default=0)
    for name, what in rows:
        yield f"{name:{width}}  {what}"


def _size(count: int) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000  # type: ignore[assignment]
    return f"{count:.3g} GB"
