-- An explanation as a graph: inputs and steps as nodes, values as edges.
local words = require "tide.tools.explain.words"

--- A line for each op; consecutive ops with the same name and script line share one.
local function op_lines(step)
  local lines, last = {}, nil
  for _, op in ipairs(step.ops) do
    local text = ("%s  %s"):format(op.name, words.place(op))
    if not last or last.text ~= text then
      last = {text = text, count = 0, stored = false}
      lines[#lines + 1] = last
    end
    last.count, last.stored = last.count + 1, last.stored or op.stored
  end
  for i, line in ipairs(lines) do
    lines[i] = line.text .. (line.count > 1 and ("  %d ops"):format(line.count) or "")
      .. (line.stored and "  stored" or "")
  end
  return lines
end

--- {nodes =, edges =}. A node: {kind = "input" or that of the step, title =, lines =, step =}. An edge:
--- {from =, to =, label =}, with indices of nodes; `from` is always smaller than `to`.
local function graph(explanation)
  local made, nodes, edges = {}, {}, {}
  local function add(node)
    nodes[#nodes + 1] = node
    return #nodes
  end
  for _, step in ipairs(explanation) do
    local sources = {}
    for _, value in ipairs(step.reads) do
      made[value.number] = made[value.number] or add{
        kind = "input", title = "input: " .. value.name, lines = {words.place(value), words.array(value)},
      }
      local from = made[value.number]
      sources[from] = sources[from] or {}
      table.insert(sources[from], words.array(value))
    end
    local place = add{
      kind = step.kind, title = ("%s  %s"):format(step:title(), words.shape(step.shape)),
      lines = op_lines(step), step = step,
    }
    for _, value in ipairs(step.writes) do -- a part of an array that an earlier step has written
      local from = made[value.number]
      if from then sources[from] = sources[from] or {words.array(value)} end
    end
    local froms = {}
    for from in pairs(sources) do froms[#froms + 1] = from end
    table.sort(froms)
    for _, from in ipairs(froms) do
      edges[#edges + 1] = {from = from, to = place, label = table.concat(sources[from], ", ")}
    end
    for _, value in ipairs(step.writes) do made[value.number] = place end
  end
  return {nodes = nodes, edges = edges}
end

return graph
