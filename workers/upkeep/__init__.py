"""What is looked after every few seconds or days: messages that were lost, and what is kept no longer."""
