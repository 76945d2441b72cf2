local x = tide.ones(2, 3)
x:sum(1, True)
--> tide: constant.lua:2: there is no global 'True'; in Lua: true
