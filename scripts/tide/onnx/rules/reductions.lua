-- Rules for reductions. Positions in tide count from 1, and also in the outputs of a saved model.
local tide = require "tide"

local rules = {}

--- Axes from 0 for a dimension or a list of dimensions; nil for all.
local function axes_of(dim, rank)
  if dim == nil then return nil end
  local list = {}
  for i, d in ipairs(type(dim) == "table" and dim or {dim}) do
    list[i] = d > 0 and d - 1 or d + rank
  end
  return list
end

local function keeps(a) return a.keepdim and 1 or 0 end

for op, name in pairs {
  mean = "ReduceMean", amax = "ReduceMax", amin = "ReduceMin", logsumexp = "ReduceLogSumExp",
  prod = "ReduceProd",
} do
  rules[op] = {arguments = {"x", "dim", "keepdim"}, write = function(g, a, results)
    local x = g:cast(a.x, results[1].dtype)
    return g:node(name, {x}, {axes = axes_of(a.dim, a.x:dim()), keepdims = keeps(a)})
  end}
end

rules.sum = {arguments = {"x", "dim", "keepdim"}, write = function(g, a, results)
  local axes = axes_of(a.dim, a.x:dim())
  return g:node("ReduceSum", {g:cast(a.x, results[1].dtype), axes and g:integers(axes) or ""},
    {keepdims = keeps(a)})
end}

--- Converts positions from 0 to positions from 1.
local function counted(g, name) return (g:node("Add", {name, g:integers {1}})) end

for op, name in pairs {argmax = "ArgMax", argmin = "ArgMin"} do
  rules[op] = {arguments = {"x", "dim", "keepdim"}, write = function(g, a)
    local x, axis = g:name(a.x), 0
    if a.dim then
      axis = axes_of(a.dim, a.x:dim())[1]
    else
      x = g:node("Reshape", {x, g:integers {-1}})
    end
    local found = g:node(name, {x}, {axis = axis, keepdims = keeps(a)})
    return g:node("Add", {found, g:number(1, "int64")})
  end}
end

--- max(x), max(x, y), or values and positions along a dimension.
for op, names in pairs {
  max = {"ReduceMax", "ArgMax", "Max"}, min = {"ReduceMin", "ArgMin", "Min"},
} do
  rules[op] = {arguments = {"x", "dim", "keepdim"}, write = function(g, a)
    if tide.is_tensor(a.dim) then return g:node(names[3], {g:name(a.x), g:name(a.dim)}) end
    local x, axes = g:name(a.x), axes_of(a.dim, a.x:dim())
    local values = g:node(names[1], {x}, {axes = axes, keepdims = keeps(a)})
    if not axes then return values end
    local found = g:node(names[2], {x}, {axis = axes[1], keepdims = keeps(a)})
    return values, (g:node("Add", {found, g:number(1, "int64")}))
  end}
end

rules.topk = {arguments = {"x", "k", "dim", "largest", "sorted"}, write = function(g, a)
  local values, positions = g:node("TopK", {g:name(a.x), g:integers {a.k}}, {
    axis = axes_of(a.dim or -1, a.x:dim())[1], largest = a.largest == false and 0 or 1,
  }, 2)
  return values, counted(g, positions)
end}

rules.cumsum = {arguments = {"x", "dim"}, write = function(g, a, results)
  local axis = axes_of(a.dim, a.x:dim())[1]
  return g:node("CumSum", {g:cast(a.x, results[1].dtype), g:number(axis, "int64")})
end}

return rules
