"""Every change that somebody made: a row before it is sent, closed with its outcome."""
