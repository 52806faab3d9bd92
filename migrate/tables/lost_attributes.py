"""Attributes of TensorFlow 1's datasets and variables that TensorFlow 2's do not have.

`tests/migrate/rules/test_lost_attributes.py` compares the rows with the attributes of both
TensorFlows: what 1.15.5's object has and 2.21's lacks, or raises an error for.
"""

from __future__ import annotations

DATASET, ITERATOR, VARIABLE = "tf.data.Dataset", "tf.data.Iterator", "tf.Variable"

# Of a dataset -> TensorFlow 2's function that gives the same, of iterators, too.
OF_ELEMENTS = {
    "output_shapes": "tf.compat.v1.data.get_output_shapes",
    "output_types": "tf.compat.v1.data.get_output_types",
    "output_classes": "tf.compat.v1.data.get_output_classes",
}
# Class -> attribute -> what to do instead.
LOST: dict[str, dict[str, str]] = {
    DATASET: {
        "map_with_legacy_function": "Call `map`.",
        "filter_with_legacy_function": "Call `filter`.",
        "from_sparse_tensor_slices": "Call tf.data.Dataset.from_tensor_slices.",
    },
    VARIABLE: {
        "eval": "Write `numpy()`.",
        "graph": "Take it out: a variable is in no graph.",
        "initial_value": "Keep the value that the variable is made of under a name.",
        "initialized_value": "Take the call out: a variable has its value when it is made.",
        "op": 'Write `.name.split(":")[0]` for `.op.name`.',
        "to_proto": "Take it out: a variable is in no graph.",
    },
}
# Told by other rules: these need a session.
ELSEWHERE = frozenset({"make_one_shot_iterator", "make_initializable_iterator"})
