"""The engines that answer requests, one a module."""
