"""Files of several programs, each of which is migrated with the others left out."""
