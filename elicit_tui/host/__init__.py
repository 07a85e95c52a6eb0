"""Connections to MCP servers, in both protocol eras; the only room that imports the SDK.

Importing this package loads nothing, and nothing in it loads the SDK before a connection is begun:
`launch.launch_servers` can start processes first, and both get ready at the same time.
"""
