"""What ranks are asked for and tell, and the report that is made of it."""
