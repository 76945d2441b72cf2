-- Out of memory names the line that made what holds most, not the one that waited for it.
tide.sim.configure {device = "sim:0", memory_limit = 8 << 20}
local held = tide.ones(1024, 1024, {device = "sim:0"})
tide.synchronize()
local more = tide.ones(2048, 1024, {device = "sim:0"})
print(more:tolist(), held)
--> tide: memory_of_a_line.lua:6: ones: out of memory on sim:0: asked for 8.0 MB, in use 4.0 MB, cached 0 bytes, limit 8.0 MB; memory_of_a_line.lua:3 holds 4.0 MB in 1 block; drop what is not needed (tide.memory.snapshot names it), or compute in smaller parts; queued at memory_of_a_line.lua:5 (ones)
