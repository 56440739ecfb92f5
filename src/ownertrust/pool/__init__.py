"""Pools of receivables: amortization, prepayment, losses, projected flows, and one Collection Period's activity."""
