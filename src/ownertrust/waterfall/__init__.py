"""Available Funds, the closed list of steps as data, and the engine that runs them between two Distribution Dates."""
