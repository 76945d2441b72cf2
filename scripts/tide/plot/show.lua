-- How to show a figure in this terminal: as an image, with kitty's protocol or sixel, or as text.
local base64 = require "tide.internal.base64"
local native = require "tide.native"

local show = {}

local kAnswerSeconds <const> = 0.3
local kSixel <const> = "4"        -- among the attributes of a terminal, "\27[?62;4;22c"
local kPieceLength <const> = 4096 -- of an image in kitty's protocol
local kLetterPixels <const> = 8   -- the width of a character, if the terminal does not report it

local kKittyPrograms <const> = {ghostty = true, WezTerm = true, kitty = true}
local kKittyTerminals <const> = {["xterm-kitty"] = true, ["xterm-ghostty"] = true}

--- Queries the terminal's attributes; nil if it does not answer.
local function attributes_of_terminal()
  return native.ask_terminal("\27[c", "c", kAnswerSeconds)
end

local asked, attributes -- the cached answer

local kThis <const> = {
  getenv = os.getenv,
  size = native.terminal_size,
  attributes = function()
    if not asked then asked, attributes = true, attributes_of_terminal() end
    return attributes
  end,
}

local function supports_kitty(getenv, term)
  return getenv "KITTY_WINDOW_ID" or kKittyTerminals[term]
    or kKittyPrograms[getenv "TERM_PROGRAM" or ""]
end

local function supports_sixel(environment, term)
  if term:find "sixel" then return true end
  local list = (environment.attributes() or ""):match "\27%[%?([%d;]*)c" or ""
  for attribute in list:gmatch "%d+" do
    if attribute == kSixel then return true end
  end
  return false
end

--- The terminal that standard output goes to: {columns, rows, width (pixels), color, moves (whether
--- its cursor can move)}; nil if stdout is not a terminal. `environment` has functions getenv, size and
--- attributes.
function show.terminal(environment)
  environment = environment or kThis
  local columns, rows, width = environment.size()
  if not columns then return nil end
  local moves = (environment.getenv "TERM" or "dumb") ~= "dumb"
  if width == 0 then width = columns * kLetterPixels end
  return {columns = columns, rows = rows, width = width, moves = moves,
    color = moves and not environment.getenv "NO_COLOR"}
end

--- How to show figures, "kitty", "sixel" or "text", and the terminal.
function show.way(environment)
  environment = environment or kThis
  local terminal, term = show.terminal(environment), environment.getenv "TERM" or "dumb"
  if not terminal or term == "dumb" then return "text", terminal end
  -- A terminal multiplexer inherits the outer terminal's variables, but does not pass on images.
  local inner = environment.getenv "TMUX" or term:find "^screen" or term:find "^tmux"
  if not inner and supports_kitty(environment.getenv, term) then return "kitty", terminal end
  return supports_sixel(environment, term) and "sixel" or "text", terminal
end

--- The size of an image, scaled down to the width of the terminal.
function show.pixels(terminal, size)
  local scale = math.min(1, terminal.width / size[1])
  return {math.max(50, size[1] * scale // 1 | 0), math.max(50, size[2] * scale // 1 | 0)}
end

local kNoTerminal <const> = {columns = 80, rows = 60}

--- The number of columns and rows of text with about the aspect ratio of an image that fit the
--- terminal, if there is one.
function show.cells(terminal, size)
  terminal = terminal or kNoTerminal
  local columns = math.max(20, math.min(terminal.columns, 100))
  local rows = columns * size[2] / size[1] * 0.4 // 1 | 0
  return columns, math.max(5, math.min(math.max(rows, 10), terminal.rows - 2))
end

--- Encodes an image for the terminal: `bytes` is a PNG file for kitty, else sixel data.
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
