"""Hyperparameters as tf.contrib.training.HParams kept them. Written by tf1to2; yours now.

Values are attributes, each of the type (or a list of the type) that it was made with:

    hparams = HParams(rate=0.1, layers=[64, 64], name="small")
    hparams.parse("rate=0.3,layers=[128,32]")
    hparams.rate, hparams.layers, hparams.values()
"""

from __future__ import annotations

import json
import numbers
import re
from typing import Any

# A name, perhaps an index, and a value or a list of values; then a comma or the end.
_NAME = re.compile(r"\s*([A-Za-z][\w.]*)\s*(?:\[\s*(\d+)\s*\])?\s*=\s*")
_LIST = re.compile(r"\[([^\]]*)\]\s*(?:,|$)")
_SINGLE = re.compile(r"([^,\[]*)(?:,|$)")


def _parsed(name: str, kind: type, text: str) -> Any:
    """A value's text as the parameter's type has it."""
    text = text.strip()
    try:
        if kind is not bool:
            return kind(text)
        if text in ("true", "True"):
            return True
        if text in ("false", "False"):
            return False
        return bool(int(text))
    except ValueError:
        raise ValueError(
            f"Could not parse hparam {name!r} of type {kind.__name__!r} from {text!r}"
        ) from None


def parse_values(values: str, type_map: dict[str, type]) -> dict[str, Any]:
    """The values of "name=1,other=[1,2],third[0]=5" by name.

    An indexed value gives a dict of index and value.

    Raises:
      ValueError: the text cannot be read, a name is unknown or given twice.
    """
    found: dict[str, Any] = {}
    at = 0
    while at < len(values):
        name_match = _NAME.match(values, at)
        if name_match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[at:]!r}")
        name, index = name_match[1], name_match[2]
        if name not in type_map:
            raise ValueError(f"Unknown hyperparameter type for {name}")
        many = _LIST.match(values, name_match.end())
        one = _SINGLE.match(values, name_match.end())
        match = many or one
        if match is None or (many and index is not None):
            raise ValueError(f"Malformed hyperparameter value: {values[at:]!r}")
        kind = type_map[name]
        if many:
            parts = [part for part in match[1].split(",") if part.strip()]
            value: Any = [_parsed(name, kind, part) for part in parts]
        else:
            value = _parsed(name, kind, match[1])
        if index is not None:
            indexed = found.setdefault(name, {})
            if not isinstance(indexed, dict) or int(index) in indexed:
                raise ValueError(f"Multiple assignments to variable {name!r}")
            indexed[int(index)] = value
        elif name in found:
            raise ValueError(f"Multiple assignments to variable {name!r}")
        else:
            found[name] = value
        at = match.end()
    return found


def _converted(name: str, kind: type, value: Any) -> Any:
    """A value of the parameter's type, where nothing is lost by it."""
    fits = True
    if issubclass(kind, type(None)):
        return value
    if issubclass(kind, (str, bytes)) and not isinstance(value, (str, bytes)):
        fits = False
    elif issubclass(kind, bool) != isinstance(value, bool):
        fits = False
    elif issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        fits = False
    elif issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        fits = False
    if not fits:
        raise ValueError(
            f"Could not cast hparam {name!r} of type {kind.__name__!r} from {value!r}"
        )
    make: Any = kind
    return make(value)


class HParams:
    """A set of named values, each with a fixed type."""

    def __init__(self, **kwargs: Any) -> None:
        self._kinds: dict[str, tuple[type, bool]] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a value; its type is the parameter's.

        Raises:
          ValueError: the name is taken, or a list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(
                    f"Multi-valued hyperparameters cannot be empty: {name}"
                )
            self._kinds[name] = (type(value[0]), True)
        else:
            self._kinds[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes a value.

        Raises:
          KeyError: there is no such parameter.
          ValueError: the value is of another type.
        """
        kind, many = self._kinds[name]
        if isinstance(value, list):
            if not many:
                raise ValueError(
                    f"Must not pass a list for single-valued parameter: {name}"
                )
            setattr(self, name, [_converted(name, kind, item) for item in value])
            return
        if many:
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        setattr(self, name, _converted(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a parameter, if there is one of this name."""
        if hasattr(self, name):
            delattr(self, name)
            del self._kinds[name]

    def parse(self, values: str) -> HParams:
        """Changes the values that a text like "rate=0.3,layers=[128,32]" gives."""
        kinds = {name: kind for name, (kind, _) in self._kinds.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Changes the values in a dict."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Changes the values in a JSON object."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """All values by name."""
        return {name: getattr(self, name) for name in self._kinds}

    def to_json(
        self, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        """All values as a JSON object."""
        return json.dumps(
            self.values(), indent=indent, separators=separators, sort_keys=sort_keys
        )

    def get(self, key: str, default: Any = None) -> Any:
        """A value, or the default where there is none; its type must fit.

        Raises:
          ValueError: the default is of another type than the parameter.
        """
        if key not in self._kinds:
            return default
        if default is not None:
            kind, many = self._kinds[key]
            if many and not isinstance(default, list):
                raise ValueError(f"Hparam '{key}' is a list; the default is not")
            items = default if many else [default]
            try:
                for item in items:
                    _converted(key, kind, item)
            except ValueError as error:
                raise ValueError(
                    f"Hparam '{key}' and its default differ: {error}"
                ) from None
        return getattr(self, key)

    def __contains__(self, key: str) -> bool:
        return key in self._kinds

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"HParams({sorted(self.values().items())})"
