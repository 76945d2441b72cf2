-- Draws a graph in the language of Graphviz.

local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("%c", " ") .. '"'
end

--- The lines of a box, aligned to the left.
local function label(node)
  local lines = {node.title}
  table.move(node.lines, 1, #node.lines, 2, lines)
  for i, line in ipairs(lines) do lines[i] = quoted(line):sub(2, -2) end
  return '"' .. table.concat(lines, "\\l") .. '\\l"'
end

local kStyles <const> = {
  input = "shape=plaintext",
  loop = 'shape=box style=filled fillcolor="#dbe9f9"',
  compute = 'shape=box style=filled fillcolor="#f9e5d0"',
  copy = 'shape=box style=filled fillcolor="#e6e6e6"',
}

--- `windows`: those of the explanation; each is drawn as a frame.
local function draw(graph, windows)
  local lines = {
    "digraph tide {", '  node [fontname="monospace" fontsize=10];', '  edge [fontname="monospace" fontsize=9];',
  }
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  local function add_node(indent, place)
    local node = graph.nodes[place]
    add("%sn%d [label=%s %s];", indent, place, label(node), kStyles[node.kind])
  end
  local of_window = {}
  for place, node in ipairs(graph.nodes) do
    if node.step then
      of_window[node.step.window] = of_window[node.step.window] or {}
      table.insert(of_window[node.step.window], place)
    else
      add_node("  ", place)
    end
  end
  for w, window in ipairs(windows) do
    if of_window[w] then
      add("  subgraph cluster_%d {", w)
      add("    label=%s fontname=\"monospace\" fontsize=10;", quoted(window:text()))
      for _, place in ipairs(of_window[w]) do add_node("    ", place) end
      add "  }"
    end
  end
  for _, edge in ipairs(graph.edges) do
    add("  n%d -> n%d [label=%s];", edge.from, edge.to, quoted(edge.label))
  end
  add "}"
  return table.concat(lines, "\n") .. "\n"
end

return draw
