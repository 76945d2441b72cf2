-- Draws a graph as SVG: layers from top to bottom, each node below all nodes that it reads.
local escape_markup = require "tide.internal.escape_markup"
local with_decimal_point = require "tide.internal.with_decimal_point"

local kFont <const> = 12       -- pixels; a letter is kLetter wide
local kLetter <const> = 7.3
local kLine <const> = 16
local kMargin <const> = 10     -- inside boxes
local kBetween <const> = 30    -- boxes of a layer
local kLayer <const> = 56      -- between layers
local kMostLines <const> = 12  -- of a box

local kFills <const> = {input = "#ffffff", loop = "#dbe9f9", compute = "#f9e5d0", copy = "#e6e6e6"}

--- XML does not allow control characters and invalid UTF-8.
local function escaped(text)
  if not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  return escape_markup((text:gsub("%c", " ")))
end

--- The lines of a box: the first ones of a node with many.
local function lines_of(node)
  local lines = {node.title}
  for i = 1, math.min(#node.lines, kMostLines) do lines[#lines + 1] = node.lines[i] end
  if #node.lines > kMostLines then lines[#lines + 1] = ("... %d more"):format(#node.lines - kMostLines) end
  return lines
end

local function make_box(node)
  local box, letters = {lines = lines_of(node), kind = node.kind}, 0
  for _, line in ipairs(box.lines) do letters = math.max(letters, utf8.len(line) or #line) end
  box.width = letters * kLetter + 2 * kMargin
  box.height = #box.lines * kLine + 2 * kMargin
  return box
end

--- Boxes in layers: each below those that it reads; a box that reads nothing is just above its first reader.
local function make_layers(graph)
  local boxes, layers = {}, {}
  for place, node in ipairs(graph.nodes) do
    boxes[place] = make_box(node)
    boxes[place].layer = 1
  end
  local reads = {}
  for _, edge in ipairs(graph.edges) do -- sorted by their ends
    boxes[edge.to].layer = math.max(boxes[edge.to].layer, boxes[edge.from].layer + 1)
    reads[edge.to] = true
  end
  local first_reader = {}
  for _, edge in ipairs(graph.edges) do
    if not reads[edge.from] then
      first_reader[edge.from] = math.min(first_reader[edge.from] or math.huge, boxes[edge.to].layer)
    end
  end
  for place, layer in pairs(first_reader) do boxes[place].layer = layer - 1 end
  for _, box in ipairs(boxes) do
    for layer = #layers + 1, box.layer do layers[layer] = {} end
    table.insert(layers[box.layer], box)
  end
  return boxes, layers
end

--- Sorts each layer by the positions of the boxes that its boxes read, and sets the positions of all boxes. Returns the
--- size of the image.
local function arrange(graph, boxes, layers)
  local reads = {}
  for _, edge in ipairs(graph.edges) do
    local box = boxes[edge.to]
    reads[box] = reads[box] or {}
    table.insert(reads[box], boxes[edge.from])
  end
  local y, widest = kBetween, 0
  for _, layer in ipairs(layers) do
    local height, width = 0, kBetween
    for place, box in ipairs(layer) do
      local sum, sources = 0, reads[box] or {}
      for _, source in ipairs(sources) do sum = sum + source.middle end
      box.wanted = #sources > 0 and sum / #sources or place
      box.place = place
    end
    table.sort(layer, function(a, b)
      if a.wanted ~= b.wanted then return a.wanted < b.wanted end
      return a.place < b.place
    end)
    for _, box in ipairs(layer) do
      box.x, box.y = width, y
      box.middle = box.x + box.width / 2
      width, height = width + box.width + kBetween, math.max(height, box.height)
    end
    y, widest = y + height + kLayer, math.max(widest, width)
  end
  for _, layer in ipairs(layers) do -- centered
    local last = layer[#layer]
    local shift = (widest - (last.x + last.width + kBetween)) / 2
    for _, box in ipairs(layer) do box.x, box.middle = box.x + shift, box.middle + shift end
  end
  return math.max(widest, 2 * kBetween), math.max(y - kLayer + kBetween, 2 * kBetween)
end

local function draw(graph)
  local boxes, layers = make_layers(graph)
  local width, height = arrange(graph, boxes, layers)
  local lines = {}
  local function add(text, ...) lines[#lines + 1] = text:format(...) end
  add('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="monospace" font-size="%d">',
    width, height, kFont)
  add '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
  add '<path d="M0 0L8 4L0 8z" fill="#555555"/></marker></defs>'
  add('<rect width="%.0f" height="%.0f" fill="#ffffff"/>', width, height)
  for _, edge in ipairs(graph.edges) do
    local from, to = boxes[edge.from], boxes[edge.to]
    local top, bottom = from.y + from.height, to.y
    local bend = (bottom - top) / 2
    add('<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="#555555" marker-end="url(#arrow)">'
      .. "<title>%s</title></path>",
      from.middle, top, from.middle, top + bend, to.middle, bottom - bend, to.middle, bottom, escaped(edge.label))
  end
  for _, box in ipairs(boxes) do
    add('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="%s" stroke="#555555"%s/>',
      box.x, box.y, box.width, box.height, kFills[box.kind], box.kind == "input" and ' stroke-dasharray="4 3"' or "")
    for i, line in ipairs(box.lines) do
      add('<text x="%.1f" y="%.1f" xml:space="preserve"%s>%s</text>', box.x + kMargin,
        box.y + kMargin + i * kLine - 4, i == 1 and ' font-weight="bold"' or "", escaped(line))
    end
  end
  add "</svg>"
  return table.concat(lines, "\n") .. "\n"
end

return with_decimal_point(draw)
