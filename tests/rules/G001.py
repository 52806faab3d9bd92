import tensorflow as tf
return tf.contrib.tpu.TPUEstimatorSpec(mode, host_call=(len, []))
