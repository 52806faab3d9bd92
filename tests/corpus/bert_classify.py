"""BERT's classifier on a made-up vocabulary: which of two kinds of words a text has."""
import os

import numpy as np
import tensorflow as tf

from bert import modeling
from bert import run_classifier
from bert import tokenization

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 20, "Training steps in all")

WORDS = ["sun", "moon", "star", "rain", "stone", "tree", "river", "##s", "wind", "leaf"]


def write_vocabulary(path):
  with tf.gfile.GFile(path, "w") as f:
    f.write("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS) + "\n")


def examples(count):
  rng = np.random.RandomState(1)
  words = [w for w in WORDS if not w.startswith("#")]
  for number in range(count):
    chosen = rng.choice(words, 6)
    label = "1" if sum(w in ("sun", "moon", "star") for w in chosen) > 1 else "0"
    yield run_classifier.InputExample(
        guid="made-%d" % number, text_a=" ".join(chosen), label=label)


def main(_):
  tf.gfile.MakeDirs(FLAGS.output_dir)
  vocabulary = os.path.join(FLAGS.output_dir, "vocab.txt")
  write_vocabulary(vocabulary)
  tokenizer = tokenization.FullTokenizer(vocab_file=vocabulary, do_lower_case=True)
  features = run_classifier.convert_examples_to_features(
      list(examples(32)), ["0", "1"], FLAGS.max_seq_length, tokenizer)
  # Without dropout, whose masks have no seed, and in the order of the list.
  config = modeling.BertConfig(
      vocab_size=len(tokenizer.vocab), hidden_size=16, num_hidden_layers=2,
      num_attention_heads=2, intermediate_size=32, max_position_embeddings=32,
      hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
  model_fn = run_classifier.model_fn_builder(
      bert_config=config, num_labels=2, init_checkpoint=FLAGS.init_checkpoint,
      learning_rate=1e-3, num_train_steps=FLAGS.steps, num_warmup_steps=5,
      use_tpu=FLAGS.use_tpu, use_one_hot_embeddings=FLAGS.use_tpu)
  run_config = tf.contrib.tpu.RunConfig(
      model_dir=FLAGS.output_dir,
      save_checkpoints_steps=1000,
      save_summary_steps=1,
      tpu_config=tf.contrib.tpu.TPUConfig(iterations_per_loop=1))
  estimator = tf.contrib.tpu.TPUEstimator(
      use_tpu=FLAGS.use_tpu, model_fn=model_fn, config=run_config,
      train_batch_size=8, eval_batch_size=8, predict_batch_size=8)

  read = run_classifier.input_fn_builder(
      features, FLAGS.max_seq_length, is_training=False, drop_remainder=True)

  def train_input_fn(params):
    return read(params).repeat()

  estimator.train(input_fn=train_input_fn, max_steps=FLAGS.steps)
  evaluated = estimator.evaluate(input_fn=read, steps=4)
  with tf.gfile.GFile(os.path.join(FLAGS.output_dir, "evaluated.txt"), "w") as f:
    for key in sorted(evaluated):
      f.write("%s %.9g\n" % (key, evaluated[key]))


if __name__ == "__main__":
  tf.app.run()
