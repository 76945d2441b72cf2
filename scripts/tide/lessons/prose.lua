-- The comments of a lesson as Markdown.

--- The Markdown of a comment's lines. Indented lines after a blank line (a drawing or a table) are
--- shown verbatim, and so are commands in columns, "Run it:   tide lesson 1".
return function(lines)
  local out, in_drawing, in_paragraph = {}, false, false
  local function draw(on)
    if on ~= in_drawing then out[#out + 1] = "```" end
    in_drawing = on
  end
  for i, line in ipairs(lines) do
    local stands = line:find "^  +%S" or line:find "^%u[^:]*:  +%S"
    if not line:find "%S" then
      in_paragraph = false
      if not (lines[i + 1] or ""):find "^  +%S" then draw(false) end
    elseif stands and not in_paragraph then
      draw(true)
    else
      draw(false)
      in_paragraph = true
    end
    out[#out + 1] = line
  end
  draw(false)
  return out
end
