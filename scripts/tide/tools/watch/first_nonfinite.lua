-- Which values of a network were nan or infinite first, and where.

-- In a step these follow each other.
local kOrder <const> = {input = 1, activation = 2, parameter = 3, gradient = 4, update = 5}

--- Whether the row `a` was bad before the row `b`, which stands in front of it: in an earlier step, or in the same
--- one before it. Gradients are in reverse order.
local function is_before(a, b)
  if a.since ~= b.since then return a.since < b.since end
  if a.kind ~= b.kind then return kOrder[a.kind] < kOrder[b.kind] end
  return a.kind == "gradient"
end

--- The names of the parameters of a layer whose rows of this kind were bad by a step.
local function bad_names(rows, kind, layer, step)
  local names = {}
  for _, row in ipairs(rows) do
    if row.kind == kind and row.layer == layer and row.since and row.since <= step then
      names[#names + 1] = row.parameter
    end
  end
  return names
end

local kTexts <const> = {
  input = "the input of %s has nan or infinite values",
  activation = "it first appears in the output of %s, whose parameters are finite",
  parameter = "%s has nan or infinite values in its %s, from a step before",
  gradient = "it first appears in the gradient of %s's %s",
  update = "it first appears in the update of %s's %s",
}

--- What was bad first among rows in their order: {kind, step, layer, class, parameters (names), line, text}; nil
--- if all is finite. `rows` has one row of each thing.
return function(rows)
  local first
  for _, row in ipairs(rows) do
    if row.since and (not first or is_before(row, first)) then first = row end
  end
  if not first then return nil end
  local kind, layer, step = first.kind, first.layer, first.since
  local names = bad_names(rows, "parameter", layer, step)
  -- An output is bad because the parameters are.
  if kind == "activation" and #names > 0 then kind = "parameter" end
  if kind == "gradient" or kind == "update" then names = bad_names(rows, kind, layer, step) end
  return {
    kind = kind, step = step, layer = layer, class = first.class, parameters = names, line = first.line,
    text = kTexts[kind]:format(("%s (%s)"):format(layer, first.class), table.concat(names, " and ")),
  }
end
