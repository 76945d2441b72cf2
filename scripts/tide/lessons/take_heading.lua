-- Removes the code that prints a cell's headings, for output formats that show headings themselves.

--- Removes the calls that print headings from the cell's code, and the function that they call. A constant text
--- replaces the comment's heading; one that the code computes does not.
return function(cell)
  for i, line in ipairs(cell.code) do
    local heading = cell.heading and line:match '^heading "(.*)"$'
    if heading then cell.heading = heading end
    if heading or line:find "^heading[( ]" or line:find "^local function heading%(" then cell.code[i] = "" end
  end
end
