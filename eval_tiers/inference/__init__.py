"""Runs a request file on an engine: shards, resumption, signals, and the reply file."""
