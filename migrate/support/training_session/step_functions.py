"""A step function: what one call of the session's `run` computed."""

import functools

import numpy as np
import tensorflow as tf

from .summaries import summary


class StepFunction:
    """A step of training or evaluation, as every replica runs it."""

    def __init__(self, replicas, function, specs):
        self.specs = specs
        self.__name__ = function.__name__
        strategy = replicas.strategy

        def distributed(*args):
            results = strategy.run(lambda *a: replicas._trace(function, a), args=args)
            self._structure = results
            # Operations have no value, and no place among a function's results.
            outputs = [x for x in tf.nest.flatten(results) if x is not None]
            local = list(map(strategy.experimental_local_results, outputs))
            self._values = [values[0] for values in local]
            # Only for plain_session.is_among.
            self._values = list(map(replicas.of_replicas, local))
            returned = self._values
            # Only for asynchronous.AsynchronousReplicas.
            returned = replicas.returned(self._values)
            return returned

        # As in TF1, Python's control flow runs when the graph is built.
        self.function = tf.function(distributed, input_signature=specs, autograph=False)
        self.concrete = self.function.get_concrete_function()
        # Only for StepFunction.use.
        graph = self.concrete.graph
        # Only for StepFunction.use.
        self._captures = [*graph.external_captures, *graph.deferred_external_captures]
        # Only for StepFunction.use.
        replicas.steps.append(self)

    def use(self, handles):
        """Uses other variables: new handles by the identity of the old ones."""
        self._captures = [handles.get(id(c), c) for c in self._captures]
        self.concrete.set_external_captures(self._captures)

    def unpack(self, values):
        """The step's results in the structure that the step function returned."""
        values = iter(values)
        return tf.nest.map_structure(
            lambda x: None if x is None else next(values), self._structure
        )

    # Only for asynchronous.AsynchronousReplicas.
    def read(self, message):
        """The step's results, of which the replicas' `returned` made one tensor."""
        made = tf.nest.flatten(self._values, expand_composites=True)
        dtypes = [tensor.dtype for tensor in made]
        parts = map(tf.io.parse_tensor, message, dtypes)
        values = tf.nest.pack_sequence_as(
            self._values, [*parts], expand_composites=True
        )
        return self.unpack(map(to_numpy, values))

    def convert_arguments(self, args):
        """Arguments with the dtypes of the specs, as a TF1 feed converted them."""
        if len(args) != len(self.specs):
            raise TypeError(
                f"{self.__name__} takes {len(self.specs)} arguments, not {len(args)}"
            )

        def convert(spec, value):
            if not tf.is_tensor(value):
                value = np.asarray(value, spec.dtype.as_numpy_dtype)
            if not spec.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Cannot feed value of shape {tuple(value.shape)} to "
                    f"{self.__name__}, which takes the shape {spec.shape}"
                )
            return value

        each = convert
        # Only for convert_structure.
        each = functools.partial(convert_structure, convert)
        return tuple(map(each, self.specs, args))


def convert_structure(convert, spec, value):
    """Converts what is in lists, tuples and dicts of specs; else a list is one array."""
    if isinstance(spec, tf.TensorSpec):
        return convert(spec, value)
    return tf.nest.map_structure(convert, spec, value)


def to_numpy(value):
    """A fetched value as TF1's session gave it."""
    if isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return tf.compat.v1.SparseTensorValue(*[part.numpy() for part in parts])
    return value.numpy()


def spec_of(function, *specs):
    """The tf.TensorSpec of what `function` gives for tensors of these specs.

    For variables made by the shape of a tensor: they are made before any step is.
    """
    # Only for summaries.summary.
    entries = list(summary.entries)
    traced = tf.function(function, autograph=False).get_concrete_function(*specs)
    # Only for summaries.summary.
    summary.entries[:] = entries  # Nothing of this trace is run.
    return tf.nest.map_structure(
        lambda tensor: tf.TensorSpec(tensor.shape, tensor.dtype),
        traced.structured_outputs,
    )
