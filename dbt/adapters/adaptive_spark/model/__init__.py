"""Input of a model's author: configs, hints, filters made of lists, and a seed's rows."""
