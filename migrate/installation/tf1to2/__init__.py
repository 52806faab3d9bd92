"""tf1to2, as it is installed: `migrate` and `reference` lie in this package.

The repository's folders keep their names. An installation has them here, so that a package
of the user's own called `migrate` is none of ours, and none of ours is in its way.
"""
