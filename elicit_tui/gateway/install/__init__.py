"""Writes the gateway's entry into an agent's own configuration, and takes it out again."""
