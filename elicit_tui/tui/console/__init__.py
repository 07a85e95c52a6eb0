"""The console: servers and their tools, the queue of questions, calls, activity, history."""
