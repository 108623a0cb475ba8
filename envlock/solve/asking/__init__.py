"""What each candidate asks of other components."""
