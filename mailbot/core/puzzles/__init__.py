"""The puzzle of the day: which one it is, and the table of all. It knows neither players nor boards."""
