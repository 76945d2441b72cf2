-- Of two names that are as near, the one that comes first: zeros, not the zeros_ of nn.init.
tide.zeross(3)
--> tide: misspelt_longer.lua:2: attempt to call a nil value (field 'zeross'); did you mean 'zeros'?
