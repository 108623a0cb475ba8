"""Why a request cannot be answered, told by the smallest part of it that already cannot be."""
