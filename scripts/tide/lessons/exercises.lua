-- The exercises that a lesson prints at its end.

--- Removes the exercises from the code of the lesson's cells, and returns them: a list of texts, without their
--- numbers, whose `intro` holds the lines above the first.
local function take_exercises(cells)
  local list, inside = {intro = {}}, false
  for _, cell in ipairs(cells) do
    for i, line in ipairs(cell.code) do
      local begins = line == "print [[" and cell.code[i + 2] == "Exercises"
      if begins then inside = true end
      if inside then
        cell.code[i] = ""
        local first = line:match "^%d+%. +(.*)$"
        local more = line:match "^   +(.*)$"
        if first then
          list[#list + 1] = first
        elseif more and #list > 0 then
          list[#list] = list[#list] .. "\n" .. more
        elseif #list == 0 and not begins and line ~= "Exercises" and not line:find "^%-%-%-+$" then
          list.intro[#list.intro + 1] = line
        end
        if line:find("]]", 1, true) then inside = false end
      end
    end
  end
  return list
end

return take_exercises
