"""Questions asked by many callers at once, up to more than can be answered: how fast, how late, what is refused."""
