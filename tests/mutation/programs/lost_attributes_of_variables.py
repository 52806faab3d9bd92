import tensorflow as tf

tf.enable_eager_execution()
w = tf.Variable([1.0])
print(tf.log(w))
print(w.eval())
print(w.graph)
print(w.initial_value)
print(w.initialized_value())
print(w.op.name)
print(w.to_proto())
