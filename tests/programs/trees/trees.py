"""Trees whose programs have their graph in modules of their own, and how they are run."""

from __future__ import annotations

import dataclasses
import pathlib

from reference import processes

HERE = pathlib.Path(__file__).parent
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}


@dataclasses.dataclass(frozen=True)
class Tree:
    """A directory here; its program is `train.py`.

    Attributes:
      covers: what its modules do.
      ps: parameter servers; 0 where it is one process alone.
      tolerance: largest difference of a value. Most are float32 losses of order 1 with a
        softmax, whose `exp` differs by an ULP.
    """

    name: str
    covers: str
    ps: int = 0
    tolerance: float = 1e-6

    @property
    def path(self) -> pathlib.Path:
        return HERE / self.name

    def run(self, python: str, program: pathlib.Path, out: pathlib.Path) -> None:
        """Runs its program, which writes to `out`."""

        def arguments(job: str, index: int, hosts: processes.Hosts) -> list[str]:
            flags = processes.flag_arguments(job, index, hosts) if self.ps else []
            return [*flags, f"--dir={out}"]

        processes.run_tasks(
            python,
            program,
            [],
            out,
            ps=self.ps,
            workers=1,
            environment=ENVIRONMENT,
            command_line=arguments,
            preloaded=True,
        )


TREES = (
    Tree("tuple_of_tensors", "a namedtuple of tensors, on a cluster", ps=1),
    Tree("project_of_classes", "base classes; a trainer that gets the session"),
    Tree("object_that_trains", "an object that builds and runs, on a cluster", ps=1),
    Tree("fed_dataset", "a worker that feeds its dataset, shuffled by a seed", ps=1),
    Tree(
        "tower_tutorial",
        "queue input, network and towers in three files that share names; "
        "collected losses, summaries, moving averages, a prefetch queue",
    ),
    Tree(
        "sentences",
        "filters of several widths, made in a loop with a scope for each; "
        "steps in functions inside the block of the default session",
    ),
    Tree("package_of_networks", "a class in a package, which imports another module"),
    Tree(
        "shared_columns",
        "an Estimator whose columns share an embedding table; one file "
        "makes the columns, another has the model_fn",
        # Adagrad divides by roots.
        tolerance=2e-6,
    ),
    Tree(
        "given_to_a_loop",
        "a model_fn that the program passes to the run loop of another "
        "file; the model is an object of a third file, as in the official "
        "residual networks",
        # Convolutions add up in another order, normalisation divides by roots of it.
        tolerance=5e-6,
    ),
    Tree("hooks_of_a_module", "the program's own hooks, in a separate file"),
)


def values(out: pathlib.Path) -> list[list[float]]:
    """What the chief wrote, by lines."""
    lines = (out / "loss.0").read_text("utf-8").splitlines()
    return [[float(word) for word in line.split()] for line in lines]
