"""All input and output, one door each."""
