"""Experiments that decide or show something, kept so that they can be repeated."""
