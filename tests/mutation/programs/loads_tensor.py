import tensorflow as tf

with tf.Session() as sess:
    tf.train.import_meta_graph("model.meta")
    y = sess.graph.get_tensor_by_name("y:0")
    print(sess.run(y))
