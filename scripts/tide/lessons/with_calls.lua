-- Inserts a call at the beginning of each cell of a lesson.

--- The text of the lines of a source, in which the cells' code replaces the original. Each cell with code is preceded
--- by a call begin_cell(NUMBER) of `module`. Lines keep their numbers.
return function(source, cells, module)
  local lines = {}
  for line in (source .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  for number, cell in ipairs(cells) do
    if cell.first then
      for i, line in ipairs(cell.code) do lines[cell.first + i - 1] = line end
      lines[cell.first] = ("require('%s').begin_cell(%d);%s"):format(module, number, lines[cell.first])
    end
  end
  return table.concat(lines, "\n")
end
