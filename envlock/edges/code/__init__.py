"""The code of releases: its files are fetched and analysed, and what was found is kept."""
