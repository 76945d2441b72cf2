-- The rules that write tide's ops as ONNX nodes, by op name, from the families in rules/.

-- A rule is {write =, arguments =, is_constant =, in_place_argument =}. write(graph, arguments,
-- results, list) adds nodes to the graph (writer.lua) and returns the names of the results;
-- `arguments` are keyed by the names that the rule declares. Constants have the example's values.
local rules = {}

for _, family in ipairs {"elementwise", "layers", "reductions", "shapes"} do
  for name, rule in pairs(require("tide.onnx.rules." .. family)) do rules[name] = rule end
end

return rules
