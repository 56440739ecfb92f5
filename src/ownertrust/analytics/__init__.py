"""Projections of notes, decrement tables and average lives."""
