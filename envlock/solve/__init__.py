"""Pure: the verbs that decide. Nothing here fetches, reads or prints."""
