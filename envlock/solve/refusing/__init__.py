"""Why a request has no solution, explained by the smallest part of it that has none."""
