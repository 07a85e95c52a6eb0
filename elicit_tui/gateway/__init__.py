"""The gateway: an MCP server that puts a person behind any agent (spec: both eras, as a server).

Importing this package loads nothing else; its modules load the SDK when the gateway starts.
"""
