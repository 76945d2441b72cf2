-- A file that is not there.
local x = tide.np.load("nowhere.npy")
--> tide: missing_file.lua:2: load: nowhere.npy: cannot be read: No such file or directory
