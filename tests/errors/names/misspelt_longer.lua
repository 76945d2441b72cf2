-- Of two names that are as near, the one that comes first: zeros, not the zeros_ of nn.init.
tide.zeross(3)
--> tide: misspelt_longer.lua:2: tide.zeross: there is no such name; did you mean 'zeros'?
