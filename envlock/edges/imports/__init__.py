"""What the code of releases reads of others' modules when it is imported, without running it."""
