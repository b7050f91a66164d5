"""Peterson, Battleday, Griffiths, Russakovsky (2019), Human uncertainty makes classification more robust."""
