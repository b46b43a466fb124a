"""personae: what a persona changes in a language model, measured against the same model without it."""
