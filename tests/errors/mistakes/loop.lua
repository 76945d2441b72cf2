for i in range(3):
  print(i)
--> tide: loop.lua:5: 'do' expected near <eof>
--> in Lua: for i = 1, 3 do ... end
