local function inner(x)
  return x.field.missing
end
local function outer() inner({}) end
outer()
--> tide: traceback.lua:2: attempt to index a nil value (field 'field')
--> stack traceback:
--> 	traceback.lua:2: in upvalue 'inner'
--> 	traceback.lua:4: in local 'outer'
--> 	traceback.lua:5: in main chunk
