"""What an input_fn gives, as a dataset: of estimator_inputs.py."""

# ruff: noqa: F401

try:
    from estimator_inputs import (
        Batches,
        dataset_of,
        features_and_labels,
        fed,
        first_batch,
        grouped,
        numpy_input_fn,
        one_shot_iterator,
        pandas_input_fn,
    )
except ImportError:  # In a package.
    from ..estimator_inputs import (
        Batches,
        dataset_of,
        features_and_labels,
        fed,
        first_batch,
        grouped,
        numpy_input_fn,
        one_shot_iterator,
        pandas_input_fn,
    )
