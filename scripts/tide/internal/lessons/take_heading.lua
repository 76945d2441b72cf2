-- The heading that a cell prints, which a form of the lesson shows by its own means.

--- Takes it out of the cell's code, if it is a plain text; it takes the place of the comment's.
return function(cell)
  for i, line in ipairs(cell.code) do
    local heading = cell.heading and line:match '^heading "(.*)"$'
    if heading then cell.heading, cell.code[i] = heading, "" end
  end
end
