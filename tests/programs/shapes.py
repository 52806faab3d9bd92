"""The programs that show each shape of TensorFlow 1 program, where they run, and with what
they are compared.

`python -m tests.programs.shapes` writes `docs/programs.md` and `docs/programs/` from it; the tests
fail where a test that is named here is not there, or may be skipped.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
from collections.abc import Sequence

from reference.registry import SCENARIOS
from tests.programs import (
    compiled_keras_programs,
    keras_holding,
    keras_network_programs,
    keras_parts,
    keras_programs,
    keras_star_programs,
    model_objects,
    optimised_programs,
    scoped_programs,
    subclassed_programs,
)
from tests.programs.hook_programs import CASES as HOOKS
from tests.programs.more_programs import MORE
from tests.programs.programs import VARIANTS, Variant
from tests.programs.task_towers import clusters as task_towers
from tests.programs.titles import TITLES
from tests.programs.trees.trees import TREES
from tests.programs.variants import Variant as Estimator

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "programs.md"

_RECORDED = "TensorFlow 1.15.5, recorded"
_LIVE = "TensorFlow 1.15.5, where a Python 3.7 is found"
_ENDS = "runs to its end; numbers differ from run to run"
_ALONE = "one process"


@dataclasses.dataclass(frozen=True)
class Shown:
    """One program.

    Attributes:
      shape: of what shape it is.
      path: from the root of the repository.
      covers: what it has that others have not.
      where: the processes in which its migration runs on TensorFlow 2.
      compared: with what its numbers are compared.
      test: the test that migrates and runs it, as pytest names it.
    """

    shape: str
    path: str
    covers: str
    where: str
    compared: str
    test: str


def _first_line(path: str) -> str:
    """A program's title: that of `TITLES`, or the first line of its docstring."""
    title = TITLES.get(path.removeprefix("tests/programs/"))
    if title is not None:
        return title
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    text = ast.get_docstring(tree) or ""
    return text.splitlines()[0].rstrip(".")


def _tasks(ps: int, workers: int) -> str:
    servers = f"{ps} parameter server{'s' if ps > 1 else ''}, " if ps else ""
    return f"{servers}{workers} worker{'s' if workers > 1 else ''}, a process each"


def _clustered(shape: str, *names: str) -> list[Shown]:
    """Programs with the launch flags of a cluster."""
    every: dict[str, Variant] = {v.name: v for v in (*VARIANTS, *MORE)}
    return [
        Shown(
            shape,
            f"tests/programs/clustered/{name}.py",
            every[name].covers,
            _tasks(every[name].ps, every[name].workers),
            _LIVE if every[name].equal else _ENDS,
            f"tests/migrate/frontends/sessions/test_programs.py::test_runs[{name}]",
        )
        for name in names
    ]


def _alone(shape: str, *names: str, where: str = _ALONE) -> list[Shown]:
    """Programs of one process."""
    return [
        Shown(
            shape,
            path := f"tests/programs/alone/{name}.py",
            _first_line(path),
            where,
            _RECORDED,
            f"tests/migrate/frontends/sessions/test_alone.py::test_equals_recorded_tf1[{name}]",
        )
        for name in names
    ]


def _trees(shape: str, *names: str) -> list[Shown]:
    """Programs of several files."""
    every = {tree.name: tree for tree in TREES}
    return [
        Shown(
            shape,
            f"tests/programs/trees/{name}/train.py",
            every[name].covers,
            _tasks(every[name].ps, 1) if every[name].ps else _ALONE,
            _RECORDED,
            f"tests/migrate/parts/test_parts.py::test_equals_recorded_tf1[{name}]",
        )
        for name in names
    ]


def _on_tasks(shape: str, *names: str) -> list[Shown]:
    """Programs of one client, whose other tasks only serve."""
    return [
        Shown(
            shape,
            path := f"tests/programs/task_towers/{name}.py",
            _first_line(path),
            _tasks(task_towers.CLUSTERS[name].ps, task_towers.CLUSTERS[name].workers),
            _RECORDED,
            f"tests/programs/test_task_towers.py::test_equals_recorded_tf1[{name}]",
        )
        for name in names
    ]


def _with_hooks(*names: str) -> list[Shown]:
    """Programs with hooks of their own."""
    return [
        Shown(
            "hooks of one's own",
            path := f"tests/programs/hooks/{name}.py",
            _first_line(path),
            _tasks(case.ps, case.workers) if (case := HOOKS[name]).ps else _ALONE,
            _RECORDED,
            f"tests/programs/test_session_hooks.py::test_equals_recorded_tf1[{name}]",
        )
        for name in names
    ]


def _half_migrated(*names: str) -> list[Shown]:
    return [
        Shown(
            "half-migrated",
            path := f"tests/programs/half_migrated/{name}.py",
            _first_line(path),
            "the program's own cluster, a process each task",
            "the same training in one process",
            f"tests/programs/test_half_migrated.py::test_trains_as_one_process[{name}]",
        )
        for name in names
    ]


def _scenario(shape: str, name: str, run: str, where: str = "") -> list[Shown]:
    """A program of the reference suite, by one of its runs; `where` if it is alone."""
    test = "test_migration_equals_tensorflow_1_15_5"
    scenario = SCENARIOS[name]
    topology = scenario.topology_of(scenario.run(run))
    by_hand = "; the tool refuses it, so its migration is written by hand"
    return [
        Shown(
            shape,
            path := f"reference/{name}/tf1.py",
            _first_line(path) + (by_hand if scenario.refused else ""),
            where or _tasks(topology.ps, topology.workers),
            _RECORDED,
            f"tests/reference/test_scenarios.py::{test}[{name}-{run}-tf2]",
        )
    ]


def _estimators(file: str, *names: str) -> list[Shown]:
    return [
        Shown(
            "Estimators",
            path := f"tests/programs/estimator_variants/{name}.py",
            _first_line(path),
            _ALONE,
            _RECORDED,
            f"tests/programs/{file}.py::test_equals_tensorflow_1_15_5[{name}]",
        )
        for name in names
    ]


def _keras(
    file: str,
    programs: Sequence[Estimator],
    test: str = "test_equals_tensorflow_1_15_5",
) -> list[Shown]:
    """Programs whose model functions become Keras models."""
    return [
        Shown(
            "Keras models",
            path := str(program.path.relative_to(ROOT)),
            _first_line(path),
            _ALONE,
            _RECORDED,
            f"tests/programs/{file}.py::{test}[{program.name}]",
        )
        for program in programs
    ]


_TOWERS = "one process, a replica per tower"

# Sessions, towers, placement and half-migrated programs.
DISTRIBUTION: tuple[Shown, ...] = (
    *_clustered("Supervisor", "supervised_loop", "supervised_replica"),
    *_clustered("Supervisor", "supervised_services", "supervised_wiring"),
    *_clustered("Supervisor", "existing_servers", "supervised_looks"),
    *_alone(
        "Supervisor", "supervisor_loops", "supervisor_of_graph", "supervisor_of_self"
    ),
    *_alone("Supervisor", "supervisor_assigned", "supervisor_makes_start"),
    *_scenario("Supervisor", "supervisor", "async_sgd_float32"),
    *_clustered("older SyncReplicas wiring", "sync_old_wiring", "sync_queue_runner"),
    *_clustered("Session(server.target)", "plain_server_session", "tested_afterwards"),
    *_clustered("session creators", "session_creators", "creators_with_hooks"),
    *_clustered("queue runners", "queue_epochs", "queue_supervisor"),
    *_alone(
        "queue runners", "queue_tfrecords", "queue_csv_lines", "queue_fixed_length"
    ),
    *_alone("queue runners", "queue_slices", "queue_two_readers"),
    *_scenario("towers", "in_graph_towers", "sgd_float32", _TOWERS),
    *_scenario("towers", "towers_on_tasks", "sgd_float32"),
    *_scenario("towers", "towers_of_workers", "async_sgd_float32"),
    *_alone(
        "towers",
        *("towers_by_reuse", "towers_clipped", "towers_collected"),
        *(
            "towers_comprehended",
            "towers_draw",
            "towers_gradients",
            "towers_in_one",
            "towers_of_class",
            "towers_losses",
            "towers_merged",
        ),
        *("towers_normalised", "towers_of_devices", "towers_of_parts"),
        *("towers_with_summaries", "towers_first_evaluates"),
        where=_TOWERS,
    ),
    *_trees("towers", "tower_tutorial"),
    *_on_tasks("towers", *task_towers.CLUSTERS),
    *_alone("moving averages", "averages_of_losses", "averages_restored"),
    *_clustered("a cluster under a flag", "sometimes_clustered", "local_or_clustered"),
    *_clustered("a cluster under a flag", "two_trainings", "returns_where_alone"),
    *_clustered("explicit placement", "pinned_split"),
    *_scenario("explicit placement", "pinned_client", "float32"),
    *_scenario("explicit placement", "device_pinning", "float32"),
    *_clustered("Keras in a session", "keras_supervised", "keras_phases"),
    *_clustered("Keras in a session", "keras_layers_sync"),
    *_alone("Keras in a session", "keras_session"),
    *_half_migrated("setter", "workers_alone", "tape_in_loop", "client", "stop_hook"),
    *_half_migrated("sum_clipped", "penalised", "shuffled", "metrics_servers"),
    *_half_migrated("cut_by_hand", "minimized_together", "train_on_batch"),
    *_half_migrated("train_on_batch_together", "old_optimizer", "trainer_object"),
    *_half_migrated("metrics_shards", "metrics_together", "telling_loop"),
    *_half_migrated(
        "flagged_step", "drawn", "fit_servers", "fit_workers", "fit_together"
    ),
    *_clustered("trainers of classes", "trainer_object", "model_class", "graph_tuple"),
    *_alone("Session(server.target)", "own_server"),
    *_alone(
        "trainers of classes", "lazy_scopes", "lazy_by_mode", "trainer_in_one_line"
    ),
    *_alone("several sessions", "trained_and_tested", "trained_in_one_branch"),
    *_alone("several sessions", "graphs_in_turn", "graphs_with_names"),
    *_alone("several sessions", "folds_of_one_graph", "a_graph_per_rate"),
    *_alone("several sessions", "sessions_of_methods", "session_manager"),
    *_alone("trainers of classes", "lazy_by_hand", "trainer_given_session"),
    *_alone("trainers of classes", "session_in_open_file", "agent_in_a_function"),
    *_alone("trainers of classes", "estimators_of_scopes"),
    *_alone("lists of variables", "lists_after_minimize", "copies_one_by_one"),
    *_alone("shapes of layers in loops", "shapes_by_rounds", "shapes_of_a_coder"),
    *_alone("gradients of tensors", "gradient_penalty", "gradients_of_inputs"),
    *_clustered("gradients of tensors", "penalised_critic"),
    *_alone("several datasets", "two_iterators"),
    *_clustered("several datasets", "validated_beside"),
    *_alone("graphs in functions", "placeholders_of_module"),
    *_alone(
        "graphs in functions", "saver_of_a_tuple", "loss_in_a_branch", "typed_graph"
    ),
    *_alone("feeds", "fed_in_the_middle", "fed_in_part"),
    *_alone("feeds", "feeds_by_need", "feeds_of_a_base", "feeds_zipped"),
    *_alone("feeds", "state_fed_back"),
    *_alone("streaming metrics", "metrics_streamed", "metrics_of_model"),
    *_alone("streaming metrics", "metrics_of_contrib"),
    *_with_hooks("logger", "stopping", "rates", "workers"),
    *_trees("hooks of one's own", "hooks_of_a_module"),
    *_trees("model and trainer in files", "project_of_classes", "tuple_of_tensors"),
    *_trees("model and trainer in files", "package_of_networks", "sentences"),
)
ESTIMATORS: tuple[Shown, ...] = (
    *_estimators(
        "test_estimator_variants",
        *("adversaries", "averaged", "columns", "exported", "heads", "keras_inside"),
        *("partitioned", "positional", "queued", "ready_made"),
        *("warm_started", "watched"),
    ),
    *_estimators(
        "test_estimator_idioms",
        *("builder", "canned", "census", "configured", "contrib", "control_flow"),
        *(
            "exporters",
            "frames",
            "hooks",
            "inputs",
            "looked_at",
            "more_heads",
            "reading",
        ),
        *("residual", "sequences", "stopped_early", "subclassed", "texts"),
        *("threads", "vocabularies"),
    ),
    *_trees("Estimators", "shared_columns", "given_to_a_loop"),
    *_keras("test_keras_programs", keras_programs.PROGRAMS),
    *_keras("test_keras_parts", keras_parts.PROGRAMS),
    *_keras(
        "test_model_objects",
        model_objects.PROGRAMS,
        "test_goes_on_as_tensorflow_1_15_5",
    ),
    *_keras("test_keras_holding", keras_holding.PROGRAMS),
    *_keras("test_keras_stars", keras_star_programs.PROGRAMS),
    *_keras("test_keras_networks", keras_network_programs.TREES),
    *_keras("test_optimised_programs", optimised_programs.EVERY),
    *_keras("test_scoped_programs", scoped_programs.PROGRAMS),
    *_keras("test_subclassed_programs", subclassed_programs.PROGRAMS),
    *_keras("test_compiled_keras", compiled_keras_programs.PROGRAMS),
)


_INTRODUCTION = """\
# Programs that are run

This page lists the TensorFlow 1 programs that the tests migrate and then run on TensorFlow 2. They look like
programs of users. Look for a program that is like yours: its file and its
migration show what the tool does with such code. The column "compared with" of each page says what the
tests compare the numbers of the migrated program with:

- *TensorFlow 1.15.5, recorded*: a recording of the original program.
- *TensorFlow 1.15.5, where a Python 3.7 is found*: a run of the original program, on machines that can
  make one.
- *the same training in one process*: TensorFlow 2, without a cluster.
- *runs to its end; numbers differ from run to run*: nothing, because random draws or the order of the
  workers' steps change the numbers.

`python -m tests.programs.shapes` writes these pages.
"""
_MEANINGS = {
    "Supervisor": "`tf.train.Supervisor` opens the session",
    "older SyncReplicas wiring": "`SyncReplicasOptimizer` with its queue runner and tokens, and no hook",
    "Session(server.target)": "a plain `tf.Session` on a server",
    "session creators": "`MonitoredSession` with a session creator",
    "queue runners": "threads fill queues with the input",
    "towers": "each device has a copy of the network, and the program averages the gradients",
    "moving averages": "`ExponentialMovingAverage`",
    "a cluster under a flag": "a condition chooses between training in a cluster and alone",
    "explicit placement": "`tf.device` names the task of each layer or variable",
    "Keras in a session": "a session runs Keras layers or models",
    "half-migrated": "the model or the step already uses Keras or `GradientTape`",
    "trainers of classes": "a class builds the graph or trains",
    "several sessions": "a file opens several sessions, or builds several graphs",
    "graphs in functions": "functions build the graph",
    "feeds": "the program feeds unusual tensors, or unusual code makes the feeds",
    "lists of variables": "the program lists variables of the graph and relies on their order",
    "shapes of layers in loops": "a loop makes layers by the shapes of earlier rounds",
    "gradients of tensors": "gradients with respect to a tensor, such as an input; some are part of a loss",
    "several datasets": "one `session.run` takes elements of several datasets",
    "streaming metrics": "`tf.metrics`",
    "hooks of one's own": "classes that derive from `SessionRunHook`",
    "model and trainer in files": "several files define the model and train it",
    "Estimators": "`tf.estimator`",
    "Keras models": "a `model_fn` becomes a Keras model",
}


def pages() -> dict[pathlib.Path, str]:
    """Every page and its text, as Markdown: the entry, and one for each shape."""
    entry, found = [_INTRODUCTION], {}
    for title, rows in (
        ("Sessions, towers, placement", DISTRIBUTION),
        ("Estimators", ESTIMATORS),
    ):
        entry.append(f"## {title}: {len(rows)} programs\n")
        if rows is ESTIMATORS:
            entry.append(
                "The reference programs `estimator_*` are listed in "
                "[numerics](numerics.md).\n"
            )
        lines = ["| shape | what these programs have | programs |", "|---|---|---|"]
        for shape in dict.fromkeys(row.shape for row in rows):
            chosen = tuple(row for row in rows if row.shape == shape)
            name = re.sub(r"\W+", "-", f"{title.split(',')[0]} {shape}").strip("-")
            path = PAGE.with_suffix("") / f"{name.lower()}.md"
            about = (
                f"The tests migrate and run these programs. All have this in common: {_MEANINGS[shape]}. "
                f"[Programs that are run](../{PAGE.name}) explains the last column.\n"
            )
            found[path] = "\n".join([f"# {title}: {shape}\n", about, *_table(chosen)])
            link = f"[{shape}](programs/{path.name})"
            lines.append(f"| {link} | {_MEANINGS[shape]} | {len(chosen)} |")
        entry.append("\n".join(lines) + "\n")
    return {PAGE: "\n".join(entry).rstrip() + "\n", **found}


def _table(rows: tuple[Shown, ...]) -> list[str]:
    lines = ["| program | what it has | runs in | compared with |"]
    lines.append("|---|---|---|---|")
    for row in rows:
        covers = row.covers.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")
        cells = (f"`{row.path}`", covers, row.where, row.compared)
        lines.append(f"| {' | '.join(cells)} |")
    return ["\n".join(lines) + "\n"]


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
