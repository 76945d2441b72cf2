-- The path of a module in its network, as a Lua expression: "net[4].head".

local place = {}

--- The step to a child of this name.
local function step(name) return math.type(name) and ("[%d]"):format(name) or "." .. name end

--- The step from `parent` to `child`: "[4]", ".head", or "" if it is not one of its children.
function place.step(parent, child)
  for name, value in parent:named_children() do
    if rawequal(value, child) then return step(name) end
  end
  return ""
end

--- The paths of a module, whose name is `root`, and of its descendants, by module.
function place.all(module, root)
  local places = {}
  local function walk(parent, text)
    if places[parent] then return end
    places[parent] = text
    for name, child in parent:named_children() do walk(child, text .. step(name)) end
  end
  walk(module, root)
  return places
end

--- The class of a module and its sizes: "Linear 10 -> 2".
function place.kind(module)
  local sizes, class = module:describe(), getmetatable(module).name
  return sizes == "" and class or class .. " " .. sizes
end

return place
