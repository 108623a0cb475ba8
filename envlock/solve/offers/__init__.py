"""What each component can be: the candidates of a solve, in the order in which they are tried."""
