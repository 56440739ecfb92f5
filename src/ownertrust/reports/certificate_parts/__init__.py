"""The servicer's certificate by part of the form."""
