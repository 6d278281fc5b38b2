"""What filters learned, kept from run to run."""
