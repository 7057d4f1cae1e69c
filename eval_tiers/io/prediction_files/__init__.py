"""Prediction files, one shape a module: how it is told, and how its rows become JSON Lines."""
