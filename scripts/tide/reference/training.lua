-- The reference of tide.training.
local kNet = "local path, net = os.tmpname(), tide.nn.Linear(2, 1); "
local kManager = kNet .. "local manager = tide.training.CheckpointManager(path, {model = net}, {keep = 1}); "

--- An example that ends with the removal of its files.
local function with_files(code, result)
  return kManager .. code .. "; " ..
    [[for _, file in ipairs(manager:checkpoints()) do os.remove(file.path) end; ]] ..
    [[os.remove(path); os.remove(path .. "-index.safetensors"); ]] .. result
end

return {
  {
    title = "Training",
    prefix = "tide.training.",
    {"CheckpointManager", "(path, objects, {keep, mode})",
      "Saves a training in files PATH-000001.safetensors and so on, in a folder that exists, and goes on with " ..
        "it bit for bit. objects: {name = what has state_dict, or a generator}; a loader keeps its place in a pass. " ..
        "The last `keep` (3) files are kept, and that of the best metric, the least or with mode = \"max\" the " ..
        "greatest. Whenever the program is killed, the newest file is whole",
      with_files("manager:save({epoch = 3}); local values = manager:restore()", "values --> {epoch = 3}")},
  },
  {
    title = "Methods of checkpoint managers",
    prefix = "manager:",
    {"save", "(values?, metric?)",
      "Saves the objects, the default generator of random numbers and a table of plain values; gives the path. " ..
        "The generator of math.random cannot be saved; waits",
      with_files("manager:save({epoch = 1}, 0.5)", "manager:checkpoints()[1].metric --> 0.5")},
    {"restore", "(which?)",
      "Restores the objects and the default generator from the last checkpoint, the \"best\", or one by number. " ..
        "Gives the values and {number, metric, path}; nil if there is none. A file that is cut short or damaged in its form is " ..
        "named in a warning, and the one before is taken; values of elements are not checked",
      with_files("manager:save({epoch = 1}); manager:save({epoch = 2}); local values = manager:restore()",
        "values --> {epoch = 2}")},
    {"checkpoints", "()", "A list of {number, metric, path, best} of the files that are kept, the oldest first",
      with_files("manager:save(); manager:save(); local list = manager:checkpoints()", "#list --> 1")},
  },
}
