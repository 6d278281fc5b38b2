"""Spark itself: what it needs before it starts, its sessions in this process and on servers,
and the proof of the extension.
"""
