"""What a project says: its groups, their policies, sources and layers, and the nodes that they are for."""
