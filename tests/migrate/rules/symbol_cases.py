"""Calls of TF1 whose values TensorFlow 1.15.5 computed, and how to compute them.

    python -m tests.migrate.rules.symbol_cases PYTHON_WITH_TF1

records the values anew in `symbol_values.json`. `row_cases.py` has more of them.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

from tests.migrate.rules import case_values, row_cases

RECORDED = pathlib.Path(__file__).with_name("symbol_values.json")

# Each is TF1 source; `tf` is TensorFlow. A lambda's gradient at `labels` is meant.
# Every seed is another one: an eager operation of a seed goes on with its stream.
# Draws are many enough that other draws are other values.
CASES = (
    "tf.reduce_sum(x, reduction_indices=[1], keep_dims=True)",
    "tf.reduce_mean(x, 1, True, 'mean')",
    "tf.reduce_max(x, axis=0)",
    "tf.reduce_min(input_tensor=x, reduction_indices=0)",
    "tf.math.reduce_prod(x, 1, keep_dims=False)",
    "tf.reduce_any(ints > 2, reduction_indices=1)",
    "tf.reduce_all(ints > -8, keep_dims=True)",
    "tf.reduce_logsumexp(x, reduction_indices=1)",
    "tf.argmax(x, dimension=1)",
    "tf.argmax(x, 1, 'best')",
    "tf.argmin(x, 0, output_type=tf.int32)",
    "tf.math.argmax(input=x, dimension=0)",
    "tf.arg_max(x, 1)",
    "tf.arg_min(x, dimension=0)",
    "tf.nn.softmax(x, dim=0)",
    "tf.nn.log_softmax(x, 1, 'log')",
    "tf.nn.max_pool(value=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')",
    "tf.nn.avg_pool(image, [1, 3, 3, 1], [1, 1, 1, 1], 'SAME', 'NHWC', 'pool')",
    "tf.to_float(ints)",
    "tf.to_double(x, 'wide')",
    "tf.to_int32(x)",
    "tf.to_int64(x=x)",
    "tf.cast(tf.to_bfloat16(x), tf.float32)",
    "tf.to_complex64(x)",
    "tf.to_complex128(x)",
    "tf.shape(x, out_type=tf.int64)",
    "tf.shape(x, 'dims')",
    "tf.size(x, 'count', tf.int64)",
    "tf.zeros_like(tensor=x, dtype=tf.int32)",
    "tf.ones_like(x, tf.int64, 'ones')",
    "tf.expand_dims(x, dim=1)",
    "tf.squeeze(tf.expand_dims(x, 0), squeeze_dims=[0])",
    "tf.where(x > 0)",
    "tf.where([True, False], x, -x)",
    "tf.where(x > 0, x, tf.zeros_like(x))",
    "tf.gather(x, [1, 0], True, 'rows')",
    "tf.gather(x, [2, 0], axis=1)",
    "tf.gather_nd(x, [[0, 1], [1, 2]], 'cells')",
    "tf.boolean_mask(x, [True, False, True], 'columns', 1)",
    "tf.transpose(x, [1, 0], 'turned')",
    "tf.pad(x, [[0, 1], [1, 0]], 'CONSTANT', 'padded', 7)",
    "tf.reverse_sequence(x, [1, 3], seq_dim=1, batch_dim=0)",
    "tf.convert_to_tensor([1, 2], tf.float32, 'made')",
    "tf.convert_to_tensor([1, 2], preferred_dtype=tf.float32)",
    "tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0))",
    "tf.cond(tf.constant(False), lambda: [tf.constant(1.0)], lambda: [tf.constant(2.0)])",
    "tf.norm(x, axis=1, keep_dims=True)",
    "tf.linalg.norm(x, 1, 0)",
    "tf.count_nonzero(ints, reduction_indices=1, keep_dims=True)",
    "tf.math.count_nonzero(input_tensor=ints, axis=0, dtype=tf.int32)",
    "tf.confusion_matrix([0, 1, 1], [0, 1, 0], 2, tf.int64)",
    "tf.floor_div(ints, 2)",
    "tf.div(ints, 2)",
    "tf.div(x, 2)",
    "tf.truediv(ints, 2)",
    "tf.mod(ints, 5)",
    "tf.log(x * x + 1)",
    "tf.string_to_number(string_tensor=words)",
    "tf.string_to_hash_bucket(words, 10)",
    "tf.string_to_hash_bucket_fast(words, 10)",
    "tf.substr(words, 0, 1, 'first')",
    "tf.strings.length(words, 'lengths', 'UTF8_CHAR')",
    "tf.reduce_join(words, reduction_indices=[0], separator='+')",
    "tf.string_join([words, words], '-')",
    "tf.string_split(['a b', 'c']).values",
    "tf.regex_replace(words, '[0-9]', '#')",
    "tf.as_string(ints)",
    "tf.decode_raw(words[:1], tf.uint8, name='raw')",
    "tf.decode_raw(bytes=words[:1], out_type=tf.int8)",
    "tf.decode_csv(rows, [[0], [0.0]], ',', True, 'columns')[1]",
    "tf.nn.dropout(x, 1.0)",
    "tf.nn.dropout(x, keep_prob=0.5, seed=11)",
    "tf.nn.dropout(x, 0.25 + 0.5, seed=12)",
    "tf.nn.dropout(x, rate=0.25, seed=13)",
    "tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x, dim=-1)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(labels, x)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=classes)",
    "tf.nn.sigmoid_cross_entropy_with_logits(logits=x, labels=labels)",
    "tf.nn.weighted_cross_entropy_with_logits(targets=labels, logits=x, pos_weight=2.0)",
    "tf.stack(tf.nn.moments(tf.constant(x), [0], keep_dims=True))",
    "tf.nn.l2_normalize(x, dim=1)",
    "tf.nn.crelu(x, 'both')",
    "tf.nn.in_top_k(x, classes, 1)",
    "tf.nn.conv1d(value=line, filters=kernel[0, :, :, :], stride=1, padding='SAME')",
    "tf.nn.conv2d(image, filter=kernel, strides=[1, 1, 1, 1], padding='SAME', "
    "use_cudnn_on_gpu=True)",
    "tf.nn.conv2d(image, kernel, [1, 2, 2, 1], 'VALID', True, 'NHWC')",
    "tf.nn.conv3d(volume, filter=np.ones([2, 2, 2, 1, 1], np.float32), "
    "strides=[1, 1, 1, 1, 1], padding='SAME')",
    "tf.nn.conv2d_transpose(value=image, filter=kernel, output_shape=[1, 4, 4, 2], "
    "strides=[1, 1, 1, 1])",
    "tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], 'SAME', [2, 2])",
    "tf.nn.separable_conv2d(image, kernel, np.ones([1, 1, 4, 1], np.float32), "
    "[1, 1, 1, 1], 'SAME', rate=[1, 1])",
    "tf.nn.l2_loss(x)",
    "tf.nn.embedding_lookup([x[:1], x[1:]], [0, 1])",
    "tf.space_to_depth(image, 2, 'deep')",
    "tf.depth_to_space(np.ones([1, 1, 1, 4], np.float32), block_size=2)",
    "tf.image.crop_and_resize(image, [[0., 0., 1., 1.]], box_ind=[0], crop_size=[2, 2])",
    "tf.image.resize_images(image, [8, 8])",
    "tf.image.resize_images(image, [7, 7], align_corners=True)",
    "tf.image.resize_bilinear(image, [8, 8])",
    "tf.image.resize_bilinear(image, [7, 7], True)",
    "tf.image.resize_nearest_neighbor(image, [7, 7], align_corners=True)",
    "tf.image.resize_bicubic(image, [8, 8])",
    "tf.image.resize_area(image, [2, 2])",
    "tf.image.resize_image_with_crop_or_pad(image, 2, 6)",
    "tf.random_normal([3], seed=14)",
    "tf.random_uniform([3], 0, 10, tf.int32, 61)",
    "tf.truncated_normal([3], stddev=0.1, seed=15)",
    "tf.random_shuffle(ints, seed=16)",
    "tf.multinomial([[1.0, 2.0, 3.0]], 40, 62)",
    "tf.multinomial([[1.0, 2.0, 3.0]], 40, seed=17, output_dtype=tf.int32)",
    "tf.glorot_uniform_initializer(seed=18)([2, 3])",
    "tf.random_normal_initializer(seed=19)([3])",
    "tf.random_uniform_initializer(-1.0, 1.0, seed=20)([3])",
    "tf.truncated_normal_initializer(stddev=0.5, seed=21)([3])",
    "tf.variance_scaling_initializer(seed=22)([2, 3])",
    "tf.constant_initializer(0.5)([3])",
    "tf.losses.mean_squared_error(labels, x, weights=[[1.0], [0.0]])",
    "tf.losses.softmax_cross_entropy(labels, x)",
    "tf.losses.sparse_softmax_cross_entropy(classes, x)",
    "tf.losses.sigmoid_cross_entropy(labels, x, label_smoothing=0.1)",
    "tf.losses.huber_loss(labels, x)",
    "tf.losses.cosine_distance(labels, x, axis=1)",
    "tf.parse_single_example(tf.train.Example().SerializeToString(), "
    "{'a': tf.FixedLenFeature([], tf.int64, 7)}, 'record')['a']",
    "tf.parse_example([tf.train.Example().SerializeToString()], "
    "features={'a': tf.FixedLenFeature([2], tf.float32, [1.0, 2.0])})['a']",
    "tf.cumsum(x, axis=1, exclusive=True)",
    "tf.matrix_band_part(x, 0, -1)",
    "tf.lin_space(0.0, 1.0, 5)",
    "tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1]], [5], [2, 2]))",
    "tf.unsorted_segment_sum(x, [1, 1], 2)",
    "tf.confusion_matrix(labels=[0, 1], predictions=[1, 1])",
    "tf.clip_by_value(x, -1.0, 1.0)",
    "tf.gfile.Exists('/no/such/file')",
    "tf.gfile.IsDirectory(dirname='/')",
    "tf.gfile.Glob('/de[v]')",
    "lambda labels: tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=labels * x)",
    "lambda labels: tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=labels)",
    "lambda labels: tf.reduce_logsumexp(labels * x, reduction_indices=1, keep_dims=True)",
    *row_cases.CASES,
    *row_cases.FAILURES,
)

# Old call -> the same call with TF2's function of that name: its value must differ, or
# it must fail. These are what the rows are for.
CONTROLS = {
    "tf.argmax(x, 1, 'best')": "tf.argmax(x, 1, 'best')",
    "tf.reduce_sum(x, reduction_indices=[1], keep_dims=True)": "tf.reduce_sum(x, "
    "reduction_indices=[1], keep_dims=True)",
    "tf.where([True, False], x, -x)": "tf.where([True, False, True], x, -x)",
    "tf.nn.dropout(x, 0.25 + 0.5, seed=12)": "tf.nn.dropout(x, 0.25 + 0.5, seed=12)",
    "tf.image.resize_images(image, [8, 8])": "tf.image.resize(image, [8, 8])",
    "tf.div(ints, 2)": "tf.divide(ints, 2)",
    "tf.nn.in_top_k(x, classes, 1)": "tf.nn.in_top_k(x, classes, 1)",
    "tf.nn.embedding_lookup([x[:1], x[1:]], [0, 1])": "tf.nn.embedding_lookup([x[1:], "
    "x[:1]], [0, 1])",
    "tf.random_normal_initializer(seed=19)([3])": "tf.random_normal_initializer(seed=19)"
    "([3])",
    "tf.gather(x, [1, 0], True, 'rows')": "tf.gather(x, [1, 0], True, 'rows')",
    "lambda labels: tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=labels "
    "* x)": "lambda labels: tf.nn.softmax_cross_entropy_with_logits(labels=labels, "
    "logits=labels * x)",
}


def clean_environment() -> dict[str, str]:
    """The environment without what importing TensorFlow 2 puts there for its children."""
    return {k: v for k, v in os.environ.items() if not k.startswith("TF2_BEHAVIOR")}


def record(python: str) -> dict[str, Any]:
    """The values of every case, from an interpreter with TensorFlow 1.15.5."""
    done = subprocess.run(
        [python, "-W", "ignore", str(pathlib.Path(case_values.__file__).resolve())],
        input=json.dumps({"cases": CASES, "failures": row_cases.FAILURES}).encode(),
        stdout=subprocess.PIPE,
        env=clean_environment(),
        timeout=300,
        check=True,
    )
    values: dict[str, Any] = json.loads(done.stdout.decode().splitlines()[-1])
    return values


def main(arguments: list[str]) -> int:
    (python,) = arguments
    lines = [
        f"{json.dumps(case)}: {json.dumps(value)}"
        for case, value in record(python).items()
    ]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
