"""Keras models of networks and steps of many kinds, compared with TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from tests.programs import keras_parts, variants
from tests.programs.keras_parts import PROGRAMS
from tests.programs.variants import FAITHFUL, Found, Variant

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("keras_parts"))


@each_program
def test_becomes_a_keras_model(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "labels, mode" not in migration.text
    assert "tf_keras.Model" in migration.text


@each_program
def test_equals_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    wrong = variants.beyond_tolerance(program, keras_parts.recorded(), found)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


_BATCH_NORM = (
    "        super().__init__(*args, **kwargs)\n        self._after",
    "        super().__init__(*args, **{**kwargs, 'fused': None})\n        self._after",
)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # All variables change, or others.
        ("chosen_variables", 'startswith("head")', 'startswith("")'),
        ("chosen_variables", 'startswith("body/")', 'startswith("body/dense/")'),
        # A loss that nobody named is not in the total.
        ("collected_losses", "[loss_1, loss_2, loss_3,", "[loss_1, loss_3,"),
        ("collected_losses", "tf.add_n([mse, sparse])", "mse"),
        ("collected_losses", "set_random_seed(4)", "set_random_seed(5)"),
        ("collected_losses", "return tf.maximum(0.02,", "return tf.maximum(0.1,"),
        # An exported table whose words have the numbers of others.
        (
            "columns_exported",
            "KeyValueTensorInitializer(*self._words[id(outside)])",
            "KeyValueTensorInitializer(\n"
            "                    self._words[id(outside)][0][::-1], self._words[id(outside)][1]\n"
            "                )",
        ),
        # The input of training once more.
        (
            "inputs_bound_again",
            'x={"x": x_test}, y=y_test',
            'x={"x": x[:40]}, y=y[:40]',
        ),
        ("contrib_stacks", "else 1e-12", "else 1e-2"),
        ("contrib_stacks", *_BATCH_NORM),
        (
            "contrib_stacks",
            "return self._after(self.normalizer(outputs))",
            "return self.normalizer(self._after(outputs))",
        ),
        # Evaluates the variables, not their averages.
        ("averaged", "Saver(ema.variables_to_restore())", "Saver()"),
        # Moves the averages before the update.
        (
            "averaged",
            "self.optimizer.apply_gradients(grads_and_vars)\n"
            "    self.averages.apply(self.trainable_variables)\n",
            "self.averages.apply(self.trainable_variables)\n"
            "    self.optimizer.apply_gradients(grads_and_vars)\n",
        ),
        # A hook sees another step.
        (
            "watched_and_exported",
            '"at": tf.compat.v1.train.get_global_step()',
            '"at": tf.compat.v1.train.get_global_step() - 1',
        ),
        # Answers with another of the predictions.
        (
            "watched_and_exported",
            '"scores": estimator_loop.export.PredictOutput({"scores": predictions["probabilities"]})',
            '"scores": estimator_loop.export.PredictOutput({"scores": -predictions["probabilities"]})',
        ),
        # Counts the padding as well.
        (
            "metric_functions",
            "per_example_loss,\n        sample_weight=is_real_example)",
            "per_example_loss)",
        ),
        # Other arguments than the scope gave them.
        ("argument_scopes", "WEIGHT_DECAY = 0.02", "WEIGHT_DECAY = 0.002"),
        (
            "argument_scopes",
            'activation=tf.nn.relu,\n      padding="VALID"',
            'padding="VALID"',
        ),
        # Another table for the second sum, which no update of the first reaches.
        (
            "variables_in_functions",
            "shared_table(9 - 1 - words, 9, 4)",
            'table(9 - 1 - words, 9, 4, "other")',
        ),
        ("variables_in_functions", "x = x * g + b", "x = x * g - b"),
        # The head that training alone has teaches nothing.
        ("shared_layers", "loss += 0.5 *", "loss += 0.0 *"),
        # One side of a pair twice.
        (
            "shared_layers",
            'shared_tower(features["right"]',
            'shared_tower(features["left"]',
        ),
        ("shared_layers", "shared_plain(net - more)", "shared_plain(net + more)"),
        # A block of other numbers, and one that has another's.
        ("numbered_blocks", "net = residual(net, 10 +", "net = residual(net, 11 +"),
        ("numbered_blocks", "half(code, [4, 3], seed=7)", "half(code, [4, 3], seed=8)"),
        # Begins with what it has drawn.
        ("first_values", "      restore(session)\n", "      pass\n"),
        ("first_values", "return callback", "return None"),
        (
            "first_values",
            "estimator_loop.init_from_checkpoint(init_checkpoint, assignment_map)",
            "pass",
        ),
        # Runs over what is no word.
        ("recurrent", ' sequence_length=features["length"],', ""),
    ],
)
def test_something_else_is_seen(
    name: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == name)
    found = variants.migrated_and_run((program,), tmp_path, anywhere=(old, new))
    rows = variants.differences(program, keras_parts.recorded(), found)
    assert max(rows.values()) > 5 * program.tolerance
