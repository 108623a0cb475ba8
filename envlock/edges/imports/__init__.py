"""What releases read of other distributions' modules when they are imported, without running them."""
