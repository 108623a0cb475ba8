"""Where output goes, and the parts that all views are made of."""
