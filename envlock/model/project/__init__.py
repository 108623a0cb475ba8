"""What a project states: its groups, their policies, sources and layers, and the nodes they are for."""
