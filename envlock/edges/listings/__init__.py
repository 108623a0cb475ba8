"""What others wrote down or installed: lists, locks of other tools, environments."""
