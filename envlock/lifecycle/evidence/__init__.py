"""What raw results of the probe prove."""
