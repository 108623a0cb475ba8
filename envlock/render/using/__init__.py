"""What shells and module systems read to use an environment."""
