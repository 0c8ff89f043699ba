"""What the threads of a process share: database connections, the thread pool, the kernel."""
