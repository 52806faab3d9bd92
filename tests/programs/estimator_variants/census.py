"""Wide columns over a CSV file, exported for serialized examples."""

import numpy as np
import tensorflow as tf

_CSV_COLUMNS = ["age", "workclass", "education", "hours", "income"]
_CSV_COLUMN_DEFAULTS = [[0], [""], [""], [0.0], [""]]


def build_model_columns():
  age = tf.feature_column.numeric_column("age")
  hours = tf.feature_column.numeric_column("hours")
  education = tf.feature_column.categorical_column_with_vocabulary_list(
    "education", ["B", "M", "D"]
  )
  workclass = tf.feature_column.categorical_column_with_hash_bucket(
    "workclass", hash_bucket_size=20
  )
  age_buckets = tf.feature_column.bucketized_column(
    age, boundaries=[18, 25, 30, 45, 60]
  )
  base_columns = [education, workclass, age_buckets]
  crossed_columns = [
    tf.feature_column.crossed_column(
      ["education", "workclass"], hash_bucket_size=30
    ),
    tf.feature_column.crossed_column(
      [age_buckets, "education"], hash_bucket_size=30
    ),
  ]
  wide = base_columns + crossed_columns
  deep = [
    age,
    hours,
    tf.feature_column.indicator_column(education),
    tf.feature_column.embedding_column(
      workclass,
      dimension=3,
      initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=1),
    ),
  ]
  return wide, deep


def build_estimator(model_dir, model_type):
  wide_columns, deep_columns = build_model_columns()
  run_config = tf.estimator.RunConfig().replace(
    session_config=tf.ConfigProto(device_count={"GPU": 0}), tf_random_seed=2
  )
  if model_type == "wide":
    return tf.estimator.LinearClassifier(
      model_dir=model_dir,
      feature_columns=wide_columns,
      config=run_config,
      optimizer=tf.train.FtrlOptimizer(
        learning_rate=0.1,
        l1_regularization_strength=0.01,
        l2_regularization_strength=0.01,
      ),
    )
  return tf.estimator.DNNLinearCombinedClassifier(
    model_dir=model_dir,
    linear_feature_columns=wide_columns,
    dnn_feature_columns=deep_columns,
    dnn_hidden_units=[6, 4],
    config=run_config,
    n_classes=2,
  )


def input_fn(data_file, num_epochs, shuffle, batch_size):
  assert tf.gfile.Exists(data_file)

  def parse_csv(value):
    tf.logging.info("Parsing {}".format(data_file))
    columns = tf.decode_csv(value, record_defaults=_CSV_COLUMN_DEFAULTS)
    features = dict(zip(_CSV_COLUMNS, columns))
    labels = features.pop("income")
    classes = tf.equal(labels, ">50K")
    return features, classes

  dataset = tf.data.TextLineDataset(data_file)
  if shuffle:
    dataset = dataset.shuffle(buffer_size=100)
  dataset = dataset.map(parse_csv, num_parallel_calls=5)
  dataset = dataset.repeat(num_epochs)
  dataset = dataset.batch(batch_size)
  return dataset


def write_rows(path):
  rng = np.random.RandomState(0)
  with open(path, "w") as rows:
    for _ in range(60):
      age, hours = rng.randint(17, 70), rng.randint(10, 60)
      education, work = rng.choice(list("BMDX")), rng.choice(["p", "q", "r"])
      much = age + hours + 10 * (education == "D") > 85
      rows.write("%d,%s,%s,%d,%s\n" % (
        age, work, education, hours, ">50K" if much else "<=50K"))


def run(directory):
  path = directory + ".csv"
  write_rows(path)
  r = {}
  model = build_estimator(directory, "wide")
  for n in range(2):
    model.train(input_fn=lambda: input_fn(path, 2, False, 10))
    results = model.evaluate(input_fn=lambda: input_fn(path, 1, False, 10))
    for key in sorted(results):
      r["%d/%s" % (n, key)] = results[key]
  wide, deep = build_model_columns()
  spec = tf.feature_column.make_parse_example_spec(wide + deep)
  r["spec"] = sorted(spec)
  example_input_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
  model.export_savedmodel(
    directory + "/export", example_input_fn, strip_default_attrs=True)
  found = list(model.predict(lambda: input_fn(path, 1, False, 10)))
  r["probabilities"] = [p["probabilities"] for p in found]
  r["classes"] = [p["classes"][0].decode() for p in found]
  for n in model.get_variable_names():
    r["v/" + n] = model.get_variable_value(n)
  return r
