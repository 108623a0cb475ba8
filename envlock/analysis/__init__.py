"""Pure: what the texts of others' distributions and of a group's own program say; nothing in them is run."""
