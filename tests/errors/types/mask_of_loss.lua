-- Convolutions without padding have made the image smaller than its mask.
local F = tide.nn.functional
print(F.binary_cross_entropy_with_logits(tide.ones(1, 1, 18, 18), tide.ones(1, 1, 26, 26)))
--> tide: mask_of_loss.lua:3: binary_cross_entropy_with_logits: the shapes differ: (1, 1, 18, 18) and (1, 1, 26, 26); they differ in dimension 3 (18 against 26): pad the layers, or crop the target
