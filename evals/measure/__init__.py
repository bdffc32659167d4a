"""What is measured, one module a stage."""
