"""What distributions are on an index, and what they and their code say of themselves."""
