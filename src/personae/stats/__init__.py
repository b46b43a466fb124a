"""Pure statistics: arrays in, frozen results out."""
