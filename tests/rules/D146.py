import tensorflow as tf
cluster = tf.train.ClusterSpec({
    "ps": ["a:1"], "worker": ["b:1", "c:1"], "evaluator": ["d:1"]})
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
