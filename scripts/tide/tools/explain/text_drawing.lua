-- Draws a graph as text: a box for each step, with its inputs above and its readers below.

--- "1, 3 and 4" for the steps at these indices.
local function numbers(graph, places)
  local list = {}
  for _, place in ipairs(places) do
    local step = graph.nodes[place].step
    list[#list + 1] = step and ("%d"):format(step.number)
  end
  return table.concat(list, ", ")
end

local function draw(graph)
  local into, out_of, lines = {}, {}, {}
  for place in ipairs(graph.nodes) do into[place], out_of[place] = {}, {} end
  for _, edge in ipairs(graph.edges) do
    table.insert(into[edge.to], edge)
    table.insert(out_of[edge.from], edge.to)
  end
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  for place, node in ipairs(graph.nodes) do
    if node.kind == "input" then
      add("%s  %s  ──▶ %s", node.title, table.concat(node.lines, "  "), numbers(graph, out_of[place]))
    else
      add("┌─ %s", node.title)
      for _, edge in ipairs(into[place]) do
        local from = graph.nodes[edge.from]
        add("│ ◀── %s  %s", from.step and from.step:title() or from.title, edge.label)
      end
      for _, line in ipairs(node.lines) do add("│  %s", line) end
      local readers = numbers(graph, out_of[place])
      add(readers == "" and "└─" or "└──▶ %s", readers)
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

return draw
