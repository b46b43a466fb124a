"""One folder per study."""
