"""A run as one HTML file that opens without a network."""
