"""What is wrong with a tape: every receivable by itself, and every month against the one before."""
