"""Experiments that decide or show something about the project, kept so that they can be repeated."""
