"""What waits for an answer from another process, sealed; who is there; what a session may do.

Importing this package loads nothing: whoever only looks whether somebody is there waits for no
more.
"""
