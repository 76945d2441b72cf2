-- The headings that a cell prints, which a form of the lesson shows by its own means.

--- Takes them out of the cell's code, with the function that prints them. A plain text takes the place of the
--- comment's heading; one that the code computes does not.
return function(cell)
  for i, line in ipairs(cell.code) do
    local heading = cell.heading and line:match '^heading "(.*)"$'
    if heading then cell.heading = heading end
    if heading or line:find "^heading[( ]" or line:find "^local function heading%(" then cell.code[i] = "" end
  end
end
