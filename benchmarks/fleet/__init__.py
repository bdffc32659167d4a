"""A fleet of workers, simulated: real servers and the product's own tasks; only a step's own work sleeps."""
