-- How a figure is shown in this terminal: as a picture, by the protocol of kitty or by sixel, or in
-- letters.
local base64 = require "tide.internal.base64"
local native = require "tide.native"

local show = {}

local kAnswerSeconds <const> = 0.3
local kSixel <const> = "4"        -- among the attributes of a terminal, "\27[?62;4;22c"
local kPieceLength <const> = 4096 -- of a picture in kitty's protocol
local kLetterPixels <const> = 8   -- the width of a letter, where the terminal does not say

local kKittyPrograms <const> = {ghostty = true, WezTerm = true, kitty = true}
local kKittyTerminals <const> = {["xterm-kitty"] = true, ["xterm-ghostty"] = true}

--- Asks the terminal for its attributes; a terminal that is busy or silent has none.
local function attributes_of_terminal()
  return native.ask_terminal("\27[c", "c", kAnswerSeconds)
end

local asked, attributes -- the answer, which does not change

local kThis <const> = {
  getenv = os.getenv,
  size = native.terminal_size,
  attributes = function()
    if not asked then asked, attributes = true, attributes_of_terminal() end
    return attributes
  end,
}

local function takes_kitty(getenv, term)
  return getenv "KITTY_WINDOW_ID" or kKittyTerminals[term]
    or kKittyPrograms[getenv "TERM_PROGRAM" or ""]
end

local function takes_sixel(place, term)
  if term:find "sixel" then return true end
  local list = (place.attributes() or ""):match "\27%[%?([%d;]*)c" or ""
  for attribute in list:gmatch "%d+" do
    if attribute == kSixel then return true end
  end
  return false
end

--- The terminal that standard output goes to: {columns, rows, width (pixels), color, moves (whether
--- its cursor can)}; nil if it goes elsewhere. `place` is where the program runs: functions getenv,
--- size and attributes.
function show.terminal(place)
  place = place or kThis
  local columns, rows, width = place.size()
  if not columns then return nil end
  local moves = (place.getenv "TERM" or "dumb") ~= "dumb"
  if width == 0 then width = columns * kLetterPixels end
  return {columns = columns, rows = rows, width = width, moves = moves,
    color = moves and not place.getenv "NO_COLOR"}
end

--- "kitty", "sixel" or "text": how pictures are shown, and the terminal.
function show.way(place)
  place = place or kThis
  local terminal, term = show.terminal(place), place.getenv "TERM" or "dumb"
  if not terminal or term == "dumb" then return "text", terminal end
  -- A terminal within another keeps the outer one's variables, but not its pictures.
  local inner = place.getenv "TMUX" or term:find "^screen" or term:find "^tmux"
  if not inner and takes_kitty(place.getenv, term) then return "kitty", terminal end
  return takes_sixel(place, term) and "sixel" or "text", terminal
end

--- The size of a picture that is no wider than the terminal.
function show.pixels(terminal, size)
  local scale = math.min(1, terminal.width / size[1])
  return {math.max(50, size[1] * scale // 1 | 0), math.max(50, size[2] * scale // 1 | 0)}
end

local kNoTerminal <const> = {columns = 80, rows = 60}

--- How many columns and rows of letters have about the form of a picture, and fit the terminal, if
--- there is one.
function show.cells(terminal, size)
  terminal = terminal or kNoTerminal
  local columns = math.max(20, math.min(terminal.columns, 100))
  local rows = columns * size[2] / size[1] * 0.4 // 1 | 0
  return columns, math.max(5, math.min(math.max(rows, 10), terminal.rows - 2))
end

--- A picture as the terminal takes it: bytes of PNG for kitty, of sixel else.
function show.picture(way, bytes)
  if way == "sixel" then return bytes .. "\n" end
  local text, parts = base64(bytes), {}
  for from = 1, #text, kPieceLength do
    local more = from + kPieceLength <= #text and 1 or 0
    parts[#parts + 1] = ("\27_G%sm=%d;%s\27\\"):format(from == 1 and "f=100,a=T," or "", more,
      text:sub(from, from + kPieceLength - 1))
  end
  return table.concat(parts) .. "\n"
end

return show
