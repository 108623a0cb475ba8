"""Package indexes: pages, metadata and files over HTTP and from folders, behind the port ``Catalogue``."""
