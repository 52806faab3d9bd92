"""Programs migrated by half: eager code of Keras in a graph's cluster, as chat gives it."""
