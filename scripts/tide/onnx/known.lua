-- Small integers of which the elements are known without waiting: sizes, and what is computed from them. A node that
-- computes with such values only runs once for each combination of them.
local tide = require "tide"

local known = {}

--- The most elements of a known value, and results kept for a node; then all are dropped.
local kMostElements <const>, kMostResults <const> = 64, 64

local kTypes <const> = {int64 = true, int32 = true, bool = true}

--- Ops whose results depend on the elements of their inputs and on their attributes alone.
local kPure <const> = {}
for op in ([[Add And Cast Ceil Concat Constant ConstantOfShape Div Equal Floor Gather Greater Identity Less Max Min Mod
  Mul Neg Not Or Range ReduceMax ReduceMin ReduceProd ReduceSum Reshape Shape Size Slice Split Squeeze Sub Unsqueeze
  Where]]):gmatch "%S+" do kPure[op] = true end

--- By tensor: its elements, and a text that tells it from other values.
local entries = setmetatable({}, {__mode = "k"})

--- Notes the elements of a value if it is small, on the cpu and of whole numbers; waits for them. Returns whether it
--- is.
function known.note(value)
  if type(value) ~= "userdata" or not tide.is_tensor(value) or not kTypes[value.dtype] or not value:is_cpu()
    or value:numel() > kMostElements then
    return false
  end
  if not entries[value] then
    local list, texts = value:flatten():tolist(), {}
    for i, element in ipairs(list) do texts[i] = tostring(element) end
    entries[value] = {
      list = list,
      text = ("%s(%s):%s"):format(value.dtype, table.concat(value.shape, ","), table.concat(texts, ",")),
    }
  end
  return true
end

--- Whether the elements of a value are known. It may be the result of later runs, too: it must not be changed or freed.
function known.has(value) return entries[value] ~= nil end

--- A copy of the elements of a known value, as a flat list; nil for other values.
function known.list(value)
  local entry = entries[value]
  return entry and table.move(entry.list, 1, #entry.list, 1, {})
end

--- A text that tells these inputs of a node from others; nil if one of them is not known or the op is not pure.
function known.key(node, inputs, count)
  if not kPure[node.op] then return nil end
  local texts = {}
  if node.op == "Shape" or node.op == "Size" then
    local x = inputs[1]
    if type(x) ~= "userdata" or not tide.is_tensor(x) then return nil end
    return table.concat(x.shape, ",")
  end
  for i = 1, count do
    local value = inputs[i]
    local entry = value ~= nil and entries[value]
    if value ~= nil and not entry then return nil end
    texts[i] = entry and entry.text or ""
  end
  return table.concat(texts, ";")
end

--- The result that the node had for this key; nil: none.
function known.result(node, key) return key and node.results and node.results[key] end

--- Keeps the results of a node for this key, if there is one, which is known.
function known.keep(node, key, results)
  if not key or results.n ~= 1 or not known.note(results[1]) then return end
  if not node.results or node.kept >= kMostResults then node.results, node.kept = {}, 0 end
  node.results[key], node.kept = results[1], node.kept + 1
end

return known
