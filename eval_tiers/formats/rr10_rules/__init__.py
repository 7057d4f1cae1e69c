"""The rules of RR-10's benchmark file: pure checks of raw records, nothing that scores."""
