import tensorflow as tf

with tf.Session() as sess:
    tf.train.import_meta_graph("model.meta")
    y = sess.graph.get_operation_by_name("y").outputs[0]
    print(sess.run(y))
