"""Reading what a model wrote: its answer, its triplets, its signs. Pure functions on strings."""
