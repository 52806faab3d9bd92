"""TF1 to TF1: spellings of a loop over towers that need a line of their own.

A loop over what another loop has listed, directly after it, becomes a part of that loop.
"""

from __future__ import annotations

from migrate.frontends.towers.objects import divide_objects
from migrate.frontends.towers.parts import (
    divide_lists,
    show_tuples,
    split_blocks,
    split_one_by_one,
    write_as_addition,
    write_as_append,
)
from migrate.frontends.towers.scopes import (
    leave_shared_scope,
    move_out_of_scope,
    name_last_items,
)
from migrate.normalise.text import (
    Text,
)
from migrate.normalise.towers import iteration, lists, loops


def shape_blocks(text: Text) -> Text:
    """The text with lists made one by one, and a tower's last statements in its loop."""
    for step in (
        split_one_by_one,
        write_as_append,
        write_as_addition,
        show_tuples,
        divide_lists,
        divide_objects,
        split_blocks,
        leave_shared_scope,
        loops.write_map_out,
        loops.write_as_loop,
        iteration.name_starred_parts,
        lists.join_loops,
        move_out_of_scope,
        name_last_items,
    ):
        while True:
            new = step(text)
            if new is None:
                break
            text = new
    return text
