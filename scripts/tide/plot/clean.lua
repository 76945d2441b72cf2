-- Sanitizes strings from scripts for a terminal, an SVG file and gnuplot.

--- The text as valid UTF-8 without control characters.
return function(text)
  local parts, from = {}, 1
  while from <= #text do
    local length, invalid = utf8.len(text, from)
    local last = length and #text or invalid - 1
    parts[#parts + 1] = text:sub(from, last)
    if not length then parts[#parts + 1] = "?" end
    from = length and #text + 1 or invalid + 1
  end
  return (table.concat(parts):gsub("[\0-\x1f\x7f]", " "):gsub("\xc2[\x80-\x9f]", " ")
    :gsub("\xef\xbf[\xbe\xbf]", "?"))
end
