-- Classes read from a file of floats.
print(tide.nn.functional.cross_entropy(tide.ones(2, 3), tide.tensor({1.0, 2.0})))
--> tide: classes_as_floats.lua:2: cross_entropy: targets that are classes must be integers: float32; use target:long()
