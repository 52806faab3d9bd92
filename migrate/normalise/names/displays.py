"""TF1 to TF1: what a fetched list holds has names.

`train_ops = [tf.assign(w, x), tf.assign(b, y)]`, run by `sess.run(train_ops)`, is the two
operations, each in a statement of its own, and the list of their names: a run call
<<<<<<< HEAD
then fetches names, as it does elsewhere.

`fetches = [loss]`, followed by `fetches.append(train_op)`, is `fetches = [loss, train_op]`.
=======
then fetches names, as it does elsewhere. So is a dict of which `sess.run(ops["copy"])` runs
one operation.
