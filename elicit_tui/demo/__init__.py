"""A small MCP server that asks every kind of question; a process of its own, outside the layers.

`elicit-tui demo` opens the console on it. It speaks newline-delimited JSON-RPC on its standard
input and output with the standard library alone, in both protocol eras.
"""
