"""Evidence about filters, kept from run to run."""
