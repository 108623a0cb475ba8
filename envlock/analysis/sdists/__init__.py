"""What the files of an sdist state: its dependencies, its version, and what its build compiles."""
