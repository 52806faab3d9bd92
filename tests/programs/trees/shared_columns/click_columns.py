"""The columns of the clicks: users and items have one table."""
import tensorflow as tf
from tensorflow import feature_column as fc


def click_columns(dimension):
    user = fc.categorical_column_with_hash_bucket("user", 20)
    item = fc.categorical_column_with_hash_bucket("item", 20)
    shared = fc.shared_embedding_columns(
        [user, item], dimension, initializer=tf.constant_initializer(0.1))
    return shared + [fc.numeric_column("price")]
