import tensorflow as tf


def keep(element):
    return element


dataset = tf.data.Dataset.from_tensors([1.0])
print(dataset.map_with_legacy_function(keep))
print(dataset.filter_with_legacy_function(keep))
print(dataset.from_sparse_tensor_slices(dataset))
w = tf.Variable([1.0])
print(w.eval())
print(w.graph)
print(w.initial_value)
print(w.initialized_value())
print(w.op.name)
print(w.to_proto())
