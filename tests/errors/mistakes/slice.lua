local x = tide.ones(8)
print(x[1:4])
--> tide: slice.lua:2: ']' expected near ':'
--> in Lua: x[{ {first, last} }], with both ends, and {} for all
