-- Records the files that Lua loads from now on, for `tide test --watch`.
local files = {}

for _, name in ipairs {"loadfile", "dofile"} do
  local original = _G[name]
  _G[name] = function(path, ...)
    if type(path) == "string" then files[path] = true end
    return original(path, ...)
  end
end

--- The paths, including those of required modules.
return function()
  for name in pairs(package.loaded) do
    local path = type(name) == "string" and package.searchpath(name, package.path)
    if path then files[path] = true end
  end
  local list = {}
  for path in pairs(files) do list[#list + 1] = path end
  table.sort(list)
  return list
end
