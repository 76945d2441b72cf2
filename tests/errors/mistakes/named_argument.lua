print(tide.ones(2, 3):sum(dim=1))
--> tide: named_argument.lua:1: ')' expected near '='
--> in Lua: f(x, {name = value})
