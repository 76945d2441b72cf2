-- The lines of a cell's code that are worth showing: those that do more than print text.

--- The lines without those that print the lesson's texts, and without blank lines at the start and the end.
return function(code)
  local lines, in_text = {}, false
  for _, line in ipairs(code) do
    if line:find "^print %[%[" then in_text = true end
    if not in_text and (line ~= "" or #lines > 0 and lines[#lines] ~= "") then lines[#lines + 1] = line end
    if line:find "]]" then in_text = false end
  end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end
