-- A network with five outputs, and targets of three classes.
print(tide.nn.functional.cross_entropy(tide.ones(4, 5), tide.ones(4, 3)))
--> tide: classes_of_loss.lua:2: cross_entropy: the shapes differ: (4, 5) and (4, 3); they differ in dimension 2 (5 against 3): let the last layer give 3
