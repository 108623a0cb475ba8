"""The plan that ranks carry out, their records, and the report made from them."""
