"""The nouns of the project: labels, error labels, statuses, findings. Imports only exceptions."""
