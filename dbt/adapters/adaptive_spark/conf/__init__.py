"""Confs: one key and its value, what the jar says of its keys, and how a session gets them and gets them back."""
