-- A global of Lua's own; a name that is like no other gets no advice.
print(pcall(function() return frobnicate() end))
prnt("x")
--> tide: misspelt_global.lua:3: attempt to call a nil value (global 'prnt'); did you mean 'print'?
