"""docs/gallery.md and docs/gallery/: whole programs before and after, with their proof."""

from __future__ import annotations

from reference import numerics
from reference.registry import SCENARIOS

_WRITTEN = "<!-- Written by `python -m reference.pages`; do not edit. -->\n"
# Scenario -> what a reader should look at.
NAMES = {
    "async_parameter_server": "Parameter servers and workers. Nobody waits: each worker "
    "applies its own gradients. The old launch commands stay.",
    "sync_replicas": "`SyncReplicasOptimizer` becomes an all-reduce between the workers.",
    "in_graph_towers": "Towers over the devices of one process become replicas of a "
    "`MirroredStrategy`.",
    "estimator_layers": "An Estimator's `model_fn` becomes a Keras model. "
    "`train_and_evaluate` stays.",
    "supervisor": "A `Supervisor` with its services becomes a monitored session.",
    "queue_input": "Queue runners become a `tf.data` pipeline.",
}
_DRAWINGS = {
    "async_parameter_server": "asynchronous",
    "sync_replicas": "ring",
    "in_graph_towers": "mirrored",
}


def write_entry() -> str:
    """The programs of the gallery."""
    lines = [
        _WRITTEN + "# Gallery\n",
        "Whole programs, before and after. The left tab is a TensorFlow 1 program as a user would",
        "have written it. The right tab is what `tf1to2 migrate` writes. Each page names the measured",
        "difference from TensorFlow 1.15.5.\n",
        "| program | what to look at | largest difference |",
        "|---|---|---|",
    ]
    for name, text in NAMES.items():
        worst = numerics.find_largest(SCENARIOS[name])
        lines.append(f"| [{_title(name)}](gallery/{name}.md) | {text} | {worst} |")
    return "\n".join(lines) + "\n"


def _title(name: str) -> str:
    title = SCENARIOS[name].title
    return title[:1].upper() + title[1:]


def write_page(name: str) -> str:
    """One program, before and after."""
    scenario = SCENARIOS[name]
    parts = [_WRITTEN + f"# {_title(name)}\n", NAMES[name] + "\n"]
    if name in _DRAWINGS:
        parts.append(f"![{_title(name)}](../drawings/{_DRAWINGS[name]}.svg)\n")
    parts.append(
        f"Largest difference from TensorFlow 1.15.5 over {scenario.steps} steps: "
        f"{numerics.find_largest(scenario)}. "
        f"[All measurements](../numerics/{name}.md).\n"
    )
    for tab, file in (("TensorFlow 1", "tf1.py"), ("TensorFlow 2", "tf2.py")):
        code = (scenario.directory / file).read_text("utf-8").rstrip()
        indented = "\n".join(f"    {line}".rstrip() for line in code.splitlines())
        parts.append(f'=== "{tab}"\n\n    ```python\n{indented}\n    ```\n')
    parts.append(f"The files are in `reference/{name}`.")
    return "\n".join(parts) + "\n"
