-- The source of a lesson with a call where each of its cells begins.

--- The text of the lines of a source, of which the cells' code takes the place; `module` is called
--- as begin_cell(NUMBER) in front of each cell with code. Lines keep their numbers.
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
