"""The sandbox: a neighbour that answers all 46 operations for real, from a folder of its own."""
