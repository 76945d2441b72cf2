-- How tide's ops are written in ONNX, by the ops' names, from the families in rules/.

-- A rule is {write =, arguments =, is_constant =, in_place_argument =}. write(graph, arguments,
-- results, list) adds nodes to the graph (writer.lua) and returns the names of the results;
-- `arguments` are by the names that the rule declares. A constant's value is that of the example.
local rules = {}

for _, family in ipairs {"elementwise", "layers", "reductions", "shapes"} do
  for name, rule in pairs(require("tide.onnx.rules." .. family)) do rules[name] = rule end
end

return rules
