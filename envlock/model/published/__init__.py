"""What distributions an index has, and what they and their code say about themselves."""
