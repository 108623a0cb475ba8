"""What each candidate requires of other components."""
