-- Lines of text for a terminal.
local lines = {}

lines.columns = 100

--- The text cut into lines of at most `width` letters, at spaces.
function lines.wrapped(text, width)
  local list, line = {}, ""
  for word in text:gmatch "%S+" do
    if line ~= "" and #line + 1 + #word > width then
      list[#list + 1], line = line, word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  list[#list + 1] = line
  return list
end

--- Adds `head`, followed by the text in aligned lines.
function lines.add(list, head, text)
  local rest = (" "):rep(#head)
  for i, line in ipairs(lines.wrapped(text, lines.columns - #head)) do
    list[#list + 1] = (i == 1 and head or rest) .. line
  end
end

--- The first statement of a text, cut to a width, for a list of names.
function lines.summary(text, width)
  local first = text:gsub(";.*$", ""):gsub("%. .*$", "")
  if #first <= width then return first end
  return lines.wrapped(first, width - #" ...")[1] .. " ..."
end

--- As many of the names as fit into a line of that width.
function lines.names(names, width)
  local line = names[1]
  for i = 2, #names do
    local longer = line .. ", " .. names[i]
    if #longer > width - (i < #names and #", ..." or 0) then return line .. ", ..." end
    line = longer
  end
  return line
end

return lines
