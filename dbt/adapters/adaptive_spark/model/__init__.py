"""What a model's author writes: configs, hints, filters made of lists, and a seed's rows."""
