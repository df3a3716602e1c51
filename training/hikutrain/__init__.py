"""Training of the built-in static embedding. Not part of the product: nothing here runs for a user."""
