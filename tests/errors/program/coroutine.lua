local step = coroutine.wrap(function() error "lost inside" end)
step()
--> tide: coroutine.lua:2: coroutine.lua:1: lost inside
