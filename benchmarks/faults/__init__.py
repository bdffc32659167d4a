"""Questions asked while parts are killed, stopped and emptied: what is lost, recorded twice or done again."""
