"""Optimizers: made at build time, and the update that a step does."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.keras_objects import KerasObjects
from migrate.program.code import Code, make_code
from migrate.program.ir import Kind, Lift
from migrate.tables.optimizers import OPTIMIZERS


class Optimizers(KerasObjects):
    """Methods of optimizers."""

    def _classify_optimizer_call(self, call: ast.Call, function: ast.Attribute) -> Kind:
        self._classify_arguments(call)
        optimizer: Code
        if names.find_key(function.value) is None:
            name = self.choose_free_name("optimizer", "opt")
            self._lifts.append(
                Lift(function.value, name, make_code(function.value), make_code(name))
            )
            optimizer = make_code(name)
        else:
            optimizer = make_code(function.value)
        method = function.attr
        if self._update is not None:
            self.diagnostics.refuse(
                "N107",
                call,
                "one statement makes several updates",
                "Write each update as a statement of its own.",
            )
        elif method != "compute_gradients" and self._whole is not call:
            self.diagnostics.refuse(
                "N107",
                call,
                "a larger expression contains the update",
                "Write the update as a statement of its own: train_op = "
                "optimizer.minimize(loss).",
            )
        if names.is_given(names.find_argument(call, "grad_loss")):
            self.diagnostics.refuse(
                "O117",
                call,
                "the program passes the gradient of the loss (grad_loss)",
                "Multiply the loss by it in place of the argument.",
            )
        position = {"minimize": 1, "apply_gradients": 1}.get(method)
        self._update = ir.Update(
            method,
            optimizer,
            names.find_argument(call, "loss", 0)
            if method != "apply_gradients"
            else None,
            names.find_argument(call, "grads_and_vars", 0)
            if method == "apply_gradients"
            else None,
            names.find_argument(call, "var_list", 2 if method == "minimize" else 1)
            if method != "apply_gradients"
            else None,
            names.find_argument(call, "global_step", position) if position else None,
            "",
            names.find_argument(call, "decay_var_list", 3)
            if method == "apply_gradients"
            else None,
            tuple(sorted(self._find_fed_tensors(function.value)))
            if method != "compute_gradients"
            else (),
        )
        return Kind.GRADIENTS if method == "compute_gradients" else Kind.OPERATION

    def _find_fed_tensors(self, optimizer: ast.expr) -> set[str]:
        """The step's tensors among the arguments that an optimizer was made with."""
        if not isinstance(optimizer, ast.Call):
            return self.fed.get(names.find_key(optimizer) or "", set())
        found: set[str] = set()
        for argument in [*optimizer.args, *[k.value for k in optimizer.keywords]]:
            name = names.find_key(argument)
            if name is not None and self.environment.get(name) in ir.STEP_KINDS:
                found.add(name)
                if "." in name:
                    self.diagnostics.refuse(
                        "N107",
                        argument,
                        "the program gives the optimizer an attribute that a step "
                        "computes",
                        "Assign the value to a name in a statement before.",
                    )
            elif name is not None:
                found |= self.fed.get(name, set())  # The optimizer inside another.
            elif isinstance(argument, ast.Call) and (
                self.scopes.resolve(argument.func) in OPTIMIZERS
            ):
                found |= self._find_fed_tensors(argument)
            elif any(
                self.environment.get(read) in (*ir.STEP_KINDS, Kind.SCHEDULE)
                for read in names.find_reads(argument)
            ):
                self.diagnostics.refuse(
                    "N107",
                    argument,
                    "the program gives the optimizer an expression of the step's "
                    "tensors",
                    "Assign the expression to a name in a statement before.",
                )
        return found
