-- The table of a sample as text: a line for each row, by layer.

local function share(value) return value > 0 and ("%.1f%%"):format(100 * value) or "0" end

local function number(value) return value == value and ("%.3g"):format(value) or "-" end

--- What a row is of: "activation 2", "weight", "gradient of weight".
local function subject(row)
  if row.kind == "parameter" then return row.parameter end
  if row.parameter then return row.kind .. " of " .. row.parameter end
  return (row.number or 1) > 1 and row.kind .. " " .. row.number or row.kind
end

--- What is remarkable about a row.
local function remarks(row)
  local texts = {}
  if row.nan > 0 then texts[#texts + 1] = share(row.nan) .. " nan" end
  if row.inf > 0 then texts[#texts + 1] = share(row.inf) .. " infinite" end
  if row.units and row.dead > 0 then texts[#texts + 1] = ("%d of %d units dead"):format(row.dead, row.units) end
  if row.ratio then texts[#texts + 1] = ("%.1e of %s"):format(row.ratio, row.parameter) end
  return table.concat(texts, ", ")
end

--- The text of rows in their order.
return function(rows)
  local lines, widths = {{"layer", "values", "mean", "std", "min", "max", "zeros", ""}}, {}
  local layer
  for _, row in ipairs(rows) do
    local name = row.layer ~= layer and ("%s (%s)"):format(row.layer, row.class) or ""
    layer = row.layer
    lines[#lines + 1] = {
      name, subject(row), number(row.mean), number(row.std), number(row.min), number(row.max), share(row.zeros),
      remarks(row),
    }
  end
  for _, line in ipairs(lines) do
    for i, text in ipairs(line) do widths[i] = math.max(widths[i] or 0, #text) end
  end
  local form = ("%%-%ds  %%-%ds  %%%ds  %%%ds  %%%ds  %%%ds  %%%ds  %%s"):format(table.unpack(widths))
  for i, line in ipairs(lines) do lines[i] = form:format(table.unpack(line)):gsub(" +$", "") end
  return table.concat(lines, "\n")
end
