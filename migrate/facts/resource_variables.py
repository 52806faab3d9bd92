"""Whether a file asks for TensorFlow 1's resource variables, which are read again at each use."""

from __future__ import annotations

from migrate.facts.scopes import Scopes


def uses_resource_variables(scopes: Scopes) -> bool:
    """Whether it calls `tf.enable_resource_variables`."""
    return any(s == "tf.enable_resource_variables" for _, s in scopes.walk_uses())
