"""What a group's own program calls and reads of the distributions that it imports."""
