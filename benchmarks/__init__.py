"""Benchmarks of Sapwood and of its peers; not part of the installed package."""
