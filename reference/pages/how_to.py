"""docs/how-to.md: idioms before and after, cut out of programs that the tests execute.

The programs are the notebooks' pairs and those of `tests/programs`; the latter are
migrated here, as the tests do before they run them beside TensorFlow 1.15.5.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import textwrap

import nbformat

from migrate.compiler import migrate_text
from migrate.fallback import module as fallback
from migrate.options import Options
from reference.notebooks import build
from reference.scenario import HERE

_PROGRAMS = HERE.parent / "tests" / "programs" / "clustered"
_WRITTEN = "<!-- Written by `python -m reference.pages`; do not edit. -->\n"
_HEAD = f"""\
{_WRITTEN}# Idioms, before and after

Each page shows one idiom of TensorFlow 1, and what `tf1to2` writes for it. The code comes from programs that the
tests run: the original under TensorFlow 1.15.5, the migration under TensorFlow 2. If the tool refuses your
code, the page of the [rule](rules.md) says why and what to do.
"""


@dataclasses.dataclass(frozen=True)
class Part:
    """Lines of a program, from one that contains `first` to the next with `last`.

    Attributes:
      program: a pair of notebooks ("async_parameter_server") or a file of
        tests/programs/clustered ("feeds.py").
      last: empty for all until the end of the cell (of the first line's suite).
    """

    program: str
    first: str
    last: str = ""


@dataclasses.dataclass(frozen=True)
class Idiom:
    """A section.

    Attributes:
      before: of the TensorFlow 1 program.
      after: of the migrated one; (first, last), from the same program.
    """

    title: str
    text: str
    before: Part
    after: tuple[str, str]


IDIOMS = (
    Idiom(
        "Cluster and server",
        "The program reads the same flags or TF_CONFIG. The chief is also the coordinator. If the "
        "cluster names no chief, worker 0 is the coordinator. All other tasks serve the coordinator.",
        Part("async_parameter_server", "config = json", "server.join()"),
        ("config = json", "replicas = "),
    ),
    Idiom(
        "Variables, loss and optimizer",
        "The program makes its variables in the strategy's scope. The code that depends on a feed "
        "becomes a function with the feed as its argument. The optimizers run TensorFlow 1's kernels.",
        Part("async_parameter_server", "with tf.device", "train_op ="),
        ("with strategy.scope()", "return loss"),
    ),
    Idiom(
        "The training loop",
        "`session.run` calls the step function that computes the fetched values. "
        "The coordinator runs the loop once for each worker.",
        Part("async_parameter_server", "with tf.train.Monitored", "losses.append"),
        ("def run_worker", "losses.append"),
    ),
    Idiom(
        "SyncReplicasOptimizer",
        "Every worker runs the program, and in each step the workers average their gradients. "
        "They need no parameter server.",
        Part("sync_replicas", "optimizer = tf.train.Sync", "train_op ="),
        ("optimizer = tf.compat", "return loss"),
    ),
    Idiom(
        "Synchronous by a flag",
        "The flag that chose synchronous training still chooses it.",
        Part("mnist_reader.py", "if FLAGS.sync:", "train_op ="),
        ("  if FLAGS.sync:\n    strategy", "replicas = training_session.Asyn"),
    ),
    Idiom(
        "Towers",
        "Each tower becomes a replica of `MirroredStrategy`. In the code, `i` is the number of the "
        "replica.",
        Part("towers", "image_splits = tf.split", "train_op ="),
        ("def train_step", "return tower_losses"),
    ),
    Idiom(
        "Supervisor",
        "A `MonitoredTrainingSession` replaces the Supervisor: it restores, saves, writes "
        "summaries and stops as the Supervisor did.",
        Part("supervised_loop.py", "sv = tf.train.Supervisor", "feed_dict="),
        ("with training_session.Monitored", "value, summary"),
    ),
    Idiom(
        "Feeds made by functions",
        "The function that made a `feed_dict` now returns the fed values. `session.run` passes them "
        "to the step as arguments. The program still computes each value once.",
        Part("feeds.py", "def fill_feed_dict", "return feed_dict"),
        ("def fill_feed_dict", "return x_feed"),
    ),
    Idiom(
        "tf.layers",
        "The program makes each layer once, with TensorFlow 1's defaults, and applies it in "
        "every step.",
        Part("layers_functions.py", "def conv_net", "return tf.layers"),
        ("def conv_net", "return apply"),
    ),
    Idiom(
        "An initializable iterator",
        "A dataset's iterator becomes a Python iterator. To initialise it again, the program "
        "makes a new one.",
        Part("initializable_iterator.py", "for epoch in", "break"),
        ("for epoch in", "break"),
    ),
    Idiom(
        "Partitioners",
        "Each variable keeps its partitioner. A `with` block around the statement that makes the "
        "variable sets the partitioner.",
        Part("partitioners", "by_count = tf.get_variable", "max_shard_bytes=96"),
        ("with training_session.partitioner", "by_bytes = "),
    ),
    Idiom(
        "embedding_lookup",
        "The migrated program finds each row in the same shard as TensorFlow 1. TensorFlow 1 looks "
        'rows up by "mod", unless the program asks for "div". By "mod", row i of a table with n shards is '
        "in shard i % n.",
        Part("partitioners", "mod = tf.nn.embedding_lookup", "div ="),
        ("mod = tf.nn.embedding_lookup", "div ="),
    ),
    Idiom(
        "A model_fn",
        "The `model_fn` becomes a Keras model with a step for each mode. With "
        "`--estimators model_fn` it stays a function. It also stays a function if the tool reports "
        "K110, which gives the reason.",
        Part("estimator", "def model_fn"),
        ("class EstimatorModel", ""),
    ),
    Idiom(
        "train_and_evaluate",
        "`Model.fit` trains the model. When the program starts, it chooses its strategy by the same "
        "TF_CONFIG as before. If `fit` cannot do the same, the program keeps an Estimator, and K131 "
        "gives the reason.",
        Part(
            "reference/estimator_train_and_evaluate",
            "config = tf.estimator.RunConfig",
            "tf.estimator.train_and_evaluate",
        ),
        ("strategy = make_strategy", "EachStep(losses)"),
    ),
    Idiom(
        "Optimizers of tf.contrib.opt",
        "The tool writes `contrib_optimizers.py` beside the program. These optimizers have "
        "TensorFlow 1's updates and slots.",
        Part("contrib_optimizers_mixed.py", "rate = tf.train", "adamw = "),
        ("rate = tf.compat", "adamw = "),
    ),
    Idiom(
        "Checkpoints",
        "The program continues from a TensorFlow 1 checkpoint, with the optimizer's slots and the "
        "global step.",
        Part("checkpoint_continuation", "with tf.train.Monitored", "losses.append"),
        ("with training_session.Monitored", "losses.append"),
    ),
)


@functools.cache
def _texts(program: str) -> tuple[str, str]:
    """A program before and after."""
    if program.endswith(".py"):
        old = (_PROGRAMS / program).read_text()
        return old, migrate_text(old, Options(), program).text
    if program.startswith("reference/"):
        pair = HERE.parent / program
        return (pair / "tf1.py").read_text(), (pair / "tf2.py").read_text()
    return _code(f"{program}_tf1"), _code(f"{program}_tf2")


def _code(name: str) -> str:
    read = nbformat.read(build.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    return "\n\n".join(c.source for c in read.cells if c.cell_type == "code")


def cut(text: str, first: str, last: str) -> str:
    """Lines of a text: see `Part`; less what all of them are indented by.

    Raises:
      ValueError: there are no such lines.
    """
    start = text.find(first)
    if start < 0:
        raise ValueError(f"no line has {first!r}")
    start = text.rfind("\n", 0, start) + 1
    lines = text[start:].split("\n")
    if not last:
        kept = [lines[0]]
        for line in lines[1:]:
            if line and not line.startswith((" ", "\t")):
                break
            kept.append(line)
        return textwrap.dedent("\n".join(kept)).rstrip("\n")
    end = next((n for n, line in enumerate(lines) if last in line), None)
    if end is None:
        raise ValueError(f"no line after {first!r} has {last!r}")
    while end + 1 < len(lines) and _open("\n".join(lines[: end + 1])):
        end += 1
    return textwrap.dedent("\n".join(lines[: end + 1]))


def _open(text: str) -> bool:
    """Whether a bracket is left open; the programs have none in strings."""
    return sum(text.count(a) - text.count(b) for a, b in ("()", "[]", "{}")) > 0


_FALLBACK_TITLE = "What cannot become tf.distribute yet"
_FALLBACK = """\
# What cannot become tf.distribute yet

A refused program can still run on TensorFlow 2.21, in graph mode:

    tf1to2 migrate DIRECTORY --fallback compat --write

- Every file of the program imports `tensorflow.compat.v1`. The file that you start turns graph mode on.
- `Server`, `replica_device_setter`, `Supervisor` and monitored sessions come from `tf.compat.v1`. The old
  launch commands work. You need no environment variable.
- Functions of `tf.contrib` come from `tf.compat.v1`, or from a module that the tool writes beside the program. So does
  the MNIST reader.
- Decoders, attention and beam search of `tf.contrib.seq2seq` come from the module `graph_seq2seq`. Variables keep their
  names, so TensorFlow 1's checkpoints fit. With operation seeds, random numbers are the same as in TensorFlow 1. The
  steps of a decoding loop run in parallel, and draw random numbers in any order. So a helper that draws random numbers
  draws the same numbers in each run only with `parallel_iterations=1`. TensorFlow 1 has the same restriction.
- Estimators and `TPUEstimator` (without a TPU) come from the package `tensorflow-estimator`, as in TensorFlow 1. Install
  it with `pip install --no-deps tensorflow-estimator==2.15.0`. This package imports private modules that TensorFlow 2.16
  and later lack. The tool writes `graph_estimators.py` beside the program, which replaces these modules. `TF_CONFIG`
  works as before. If the program uses a TPU, or a strategy over several tasks, it stops with an error that says so.
- A private name (`tensorflow.python.ops.gen_nn_ops`) stays if TensorFlow 2.15.1 and 2.21 have it with the same meaning.
  The tool knows this in two cases. In the first case, the name is the generated function of an operation, and the
  operation has the same arguments. In the second case, the code of the name is the same, and so is all code that it
  calls. A warning ([T117](../rules/T117.md)) names each private name that stays, because a later TensorFlow may drop it.
- A private name with changed code stays only if it has the same parameters, and the program's calls fit them. The
  warning then says that the code has changed. The tool refuses all other private names, even if a file only imports
  them.
- Keras's private names become the public ones of `tf.keras`.
- If one file of a program needs a name that neither TensorFlow 2.21 in graph mode nor one of these modules has, the
  whole program stays unchanged. [T151](../rules/T151.md) names the line.

The report calls the result *runs through compat.v1 (still TF1)* and gives the reason why it is not yet
`tf.distribute`. The exit code is 0, because you asked for this, or 1 if there is a warning. The option does not change
programs that can become `tf.distribute`: the tool migrates them as always. If `tf_upgrade_v2` has already changed a
program, the tool can read the result, with and without this option.

Before:

```python
{before}
```

After:

```python
{after}
```
"""


def _fallback() -> str:
    """A refused scenario's beginning, before and in graph mode."""
    path = HERE / "device_pinning" / "tf1.py"
    old = path.read_text()
    new = fallback.bring_to_compat(old, Options(), str(path), fallback.Part()).text
    return _FALLBACK.format(
        before=cut(old, "import numpy", "import tensorflow"),
        after=cut(new, "import numpy", "disable_v2_behavior"),
    )


def name_pages() -> dict[str, str]:
    """File name -> title of every page in docs/how-to/."""
    titles = [idiom.title for idiom in IDIOMS]
    return {f"{_slug(title)}.md": title for title in [*titles, _FALLBACK_TITLE]}


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def write_entry() -> str:
    """docs/how-to.md: the idioms."""
    rows = [
        f"| [{title}](how-to/{name}) | {_summary(title)} |"
        for name, title in name_pages().items()
    ]
    return "\n".join([_HEAD, "| idiom | in TensorFlow 2 |\n|---|---|", *rows]) + "\n"


def _summary(title: str) -> str:
    for idiom in IDIOMS:
        if idiom.title == title:
            return re.split(r"(?<=[.;]) ", idiom.text)[0].rstrip(";.") + "."
    return "A refused program runs in graph mode, through `tf.compat.v1`."


def write_page(name: str) -> str:
    """An idiom's page."""
    title = name_pages()[name]
    for idiom in IDIOMS:
        if idiom.title == title:
            return _WRITTEN + _idiom(idiom)
    return _WRITTEN + _fallback()


def _idiom(idiom: Idiom) -> str:
    old, new = _texts(idiom.before.program)
    before = cut(old, idiom.before.first, idiom.before.last)
    after = cut(new, *idiom.after)
    return (
        f"# {idiom.title}\n\n{idiom.text}\n\n"
        f"Before:\n\n```python\n{before}\n```\n\n"
        f"After:\n\n```python\n{after}\n```\n\n"
        f"{_source(idiom.before.program)}\n"
    )


def _source(program: str) -> str:
    if program.endswith(".py"):
        return f"The code is from `tests/programs/clustered/{program}`, which the tests run."
    if program.startswith("reference/"):
        return f"The code is from `{program}`, which the tests run."
    return (
        f"The code is from the [paired notebooks](../notebooks.md) `{program}`, which the tests "
        "run."
    )
