"""Graphs that are exported."""

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from .. import estimator_loop

from .steps import predicted, saved

v1 = tf.compat.v1


class Serving:
    """The graph of predictions: what is received stands in it, with its tables.

    The model is traced as a function of the features, and copied into it: so it has the
    names that a serving_input_receiver_fn and the model gave it.
    """

    def __init__(self, estimator, serving_input_receiver_fn):
        self._receive = serving_input_receiver_fn
        with tf.Graph().as_default() as graph:  # Received before there is a model.
            features = serving_input_receiver_fn().features
            specs = tf.nest.map_structure(tf.type_spec_from_value, features)
        self._served = estimator._new_model(specs)

        def build(*flat):
            self._fed = flat
            _take_names(v1.get_default_graph(), graph)
            # One that is only handed on is an operation of its own, too.
            features = [tf.identity(tensor) for tensor in flat]
            features = tf.nest.pack_sequence_as(specs, features, expand_composites=True)
            self._spec = predicted(self._served, features)

        flat = tf.nest.flatten(specs, expand_composites=True)
        signature = [tf.TensorSpec(spec.shape, spec.dtype) for spec in flat]
        self._graph = v1.wrap_function(build, signature).graph
        self._words = _words(self._graph)

    def __call__(self):
        receiver = self._receive()
        features = tf.nest.flatten(receiver.features, expand_composites=True)
        given = {fed.op.name: here for fed, here in zip(self._fed, features)}
        variables = {}  # Id of the model's handle -> the variable here.
        for weight in saved(self._served):
            variables[id(weight.handle)] = v1.get_variable(
                weight.name.partition(":")[0],
                weight.shape,
                weight.dtype,
                trainable=weight.trainable,
                use_resource=True,
            )
        tables = _tables(self._served)
        definition, handles = self._graph.as_graph_def(), {}
        for outside, inside in self._graph.captures:
            if id(outside) in tables:  # The same words, in a table of this graph.
                handles[inside.name] = tables[id(outside)].again().resource_handle
                continue
            if id(outside) in self._words:  # A table that a feature column has made.
                initial = tf.lookup.KeyValueTensorInitializer(*self._words[id(outside)])
                handles[inside.name] = v1.lookup.StaticHashTable(
                    initial, tf.zeros([], initial.value_dtype)
                ).resource_handle
                continue
            if outside.dtype not in (tf.resource, tf.variant):  # A plain value.
                handles[inside.name] = tf.constant(outside.numpy())
                continue
            if id(outside) not in variables:
                raise ValueError(
                    f"A graph to be exported reads {outside}, which is no weight of the "
                    "model"
                )
            handles[inside.name] = variables[id(outside)].handle
        inner = {name.partition(":")[0] for name in handles}
        inner |= set(given)
        nodes = [node for node in definition.node if node.name not in inner]
        for node in nodes:  # Rows are looked up beside the variable that is captured.
            beside = node.attr["_class"].list.s if "_class" in node.attr else ()
            if any(f"loc:@{name}".encode() in beside for name in inner):
                del node.attr["_class"]
        del definition.node[:]
        definition.node.extend(nodes)
        tf.graph_util.import_graph_def(definition, {**handles, **given}, name="")
        return estimator_loop.export.signatures_of(receiver, self._spec)


def _tables(model):
    """The lookup tables that are attributes of a model, by the id of their handles."""
    tables = (table for table in vars(model).values() if hasattr(table, "again"))
    return {id(table.resource_handle): table for table in tables}


def _words(graph):
    """Keys and values of the lookup tables that a graph reads, by the id of their handles."""
    words = {}
    for outside, inside in graph.captures:
        for operation in inside.consumers() if inside.dtype == tf.resource else ():
            if operation.type == "LookupTableFindV2":
                exported = tf.raw_ops.LookupTableExportV2(
                    table_handle=outside,
                    Tkeys=operation.get_attr("Tin"),
                    Tvalues=operation.get_attr("Tout"),
                )
                words[id(outside)] = [part.numpy() for part in exported]
    return words


def _take_names(graph, before):
    """Gives a graph the names of one that it goes on with: so its own get numbers."""
    names = set()
    for operation in before.get_operations():
        parts = operation.name.split("/")
        names.update("/".join(parts[: i + 1]) for i in range(len(parts)))
    for name in sorted(names):
        graph.unique_name(name)
