def main(directory, optimizer, shards, lookup, last_step):
    import tensorflow as tf

    train = tf.compat.v1.train
    rows = tf.nn.embedding_lookup(table, ids, partition_strategy=lookup)
    with train.MonitoredTrainingSession(checkpoint_dir=directory) as sess:
        pass
