"""Evaluation of formats whose answers cite datasets (RR-10)."""
