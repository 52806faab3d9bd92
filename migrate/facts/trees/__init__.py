"""What files of a tree say of each other: names they take, hand out and hide."""
