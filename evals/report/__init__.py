"""Figures as text, plots and pinned floors."""
