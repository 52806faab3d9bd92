"""Computes the allowed difference of two runs, measured on TensorFlow 1.15 itself.

Rounding is no fault, but its effect after some steps depends on the training. So the
original is run once more with all initial values moved by one ULP, and in every step
also the fractions that it is fed, or, if it is fed none, its trained values. The change
that this causes is allowed, some times over. The original is run twice as it is, for
its own race.

A variable that begins at zero has no ULP to be moved by, and one that nothing holds, as
the sum of a softmax's biases, gathers what each update rounds. Adding an update rounds
by half an ULP of the value at most, in each program: after n updates n ULPs are
rounding alone.

If this comes near the change by the training itself, nothing can be told: from there on
the value counts as not compared.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from reference.compare import Array

# Of the largest magnitude that a value has had: a few operations, each rounding once.
ULPS = 16
# A slot may hold a gradient's square, whose relative error is twice the gradient's.
SQUARED = 2
# One ULP at the start, in one pattern, stands for roundings in every operation of every
# step. The reference pairs' differences are up to twice of what it shows; Adagrad's first
# step, a division by a small square root, shows four times, and Adam's slots of gradients
# near zero twelve times after 35 steps.
AMPLIFIED = 16
RACES = 2
# Beyond its allowance by that factor at most, a difference may be that of kernels which
# round otherwise; the original, run by both TensorFlows, says how much that is.
FEW = 100
# A difference that is this part of all that training moved is one that must be seen.
SEEN = 0.05


@dataclasses.dataclass
class Allowed:
    """The allowed differences of one value, in the order of steps.

    Attributes:
      total: what the value changes in all steps.
      is_slot: it is a state of training that is not trained itself.
      is_result: it is no state of training, but the result of an evaluation, or a value
        that a run reads beside training. Even if it never changes, it is compared.
    """

    total: float = 0.0
    is_slot: bool = False
    is_result: bool = False
    largest: float = 0.0
    moved: float = 0.0  # By one ULP of the initial values.
    raced: float = 0.0  # Between two runs of the original.
    change: float = 0.0  # What the original's own value has changed since its first.
    _first: Array | None = None

    def at(
        self,
        first: Array,
        second: Array | None,
        shifted: Array | None,
        updates: int = 0,
    ) -> float:
        """The largest difference of an element that is allowed at the next step.

        Args:
          updates: how many have been added to it.
        """
        eps = _eps(first)
        if not first.size:
            return 0.0
        wide = first.astype(np.float64)
        self.largest = max(self.largest, _top(np.abs(wide)))
        if self._first is None:
            self._first = wide
        if self._first.shape == wide.shape:
            self.change = max(self.change, _top(np.abs(np.subtract(wide, self._first))))
        if second is not None and second.shape == first.shape:
            self.raced = max(self.raced, _top(np.abs(second.astype(np.float64) - wide)))
        if shifted is not None and shifted.shape == first.shape:
            self.moved = max(
                self.moved, _top(np.abs(shifted.astype(np.float64) - wide))
            )
        if not eps:  # A count does not round: it is alike, or it is not compared.
            return 0.0
        ulps = SQUARED * ULPS if self.is_slot else ULPS
        return max(
            max(ulps, updates) * eps * self.largest,
            AMPLIFIED * self.moved,
            RACES * self.raced,
        )

    @property
    def own_race(self) -> float:
        """The allowed difference of the original's values that do not round."""
        return max(RACES * self.raced, self.moved)

    def is_race(self) -> bool:
        """Whether the original is no measure of this value, nor of itself."""
        noise = max(self.raced, self.moved)
        own = SEEN * self.largest if self.is_result else 0.0
        return noise > 0 and noise > SEEN * max(self.total, self.change, own)

    def tells(self, allowed: float) -> bool:
        """Whether a difference of that size is small beside what training moves."""
        return allowed <= SEEN * max(self.change, 0.0) or (
            self.change == 0 and allowed <= SEEN * self.largest
        )


def _eps(value: Array) -> float:
    return float(np.finfo(value.dtype.name).eps) if value.dtype.kind == "f" else 0.0


def _top(value: npt.NDArray[np.float64]) -> float:
    return float(np.max(value)) if value.size else 0.0
