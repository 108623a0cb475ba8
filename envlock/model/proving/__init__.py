"""What ranks are asked to do, what they report, and the report that is made of it."""
