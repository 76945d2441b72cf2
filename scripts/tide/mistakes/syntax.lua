-- Python syntax that Lua's parser rejects, and its Lua equivalent.
local source = require "tide.mistakes.source"

-- Patterns of Lua's, with %f[%w]WORD%f[%W] written as <WORD>.
local function words(pattern) return (pattern:gsub("<(%l+)>", "%%f[%%w_]%1%%f[^%%w_]")) end

--- Whether brackets hold a slice: a ':' that does not begin a method call.
local function has_slice(code)
  for content in code:gmatch "%b[]" do
    local rest = content:gsub(":%s*[%a_][%w_]*%s*[%({\"]", "")
    if rest:find(":", 1, true) and not rest:find("::", 1, true) then return true end
  end
  return false
end

--- Whether `name =` is among the arguments of a call, not in other parentheses.
local function has_named_argument(code, says)
  local at = code:find "[%(,]%s*[%a_][%w_]*%s*=%f[^=]"
  if not at then
    return code:find "^%s*[%a_][%w_]*%s*=%f[^=]" ~= nil and says:find("to close '('", 1, true) ~= nil
  end
  local depth = 0
  for i = at, 1, -1 do
    local letter = code:sub(i, i)
    depth = depth + (letter == "(" and 1 or letter == ")" and -1 or 0)
    if depth == 1 then
      local before = code:sub(1, i - 1)
      if before:find(words "<function>[%s%w_%.:]*$") then return false end
      local callee = before:match "([%w_%]%)])%s*$" and before:match "([%w_]*)%s*$"
      return callee ~= nil and not (" if elseif while and or not return "):find(" " .. callee .. " ", 1, true)
    end
  end
  return true -- the call began on an earlier line
end

--- Whether a condition is between two values, as in `a if c else b`.
local function has_inline_if(code)
  return code:find(words "[%w_%)%]}\"]%s+<if>.-<else>") ~= nil and not code:find(words "<then>")
end

--- The equivalent of a PyTorch module: "tide.nn"; nil for other modules.
local function in_tide(module)
  if module == "torch" then return "tide" end
  local part = module:match "^torch%.utils(%.data.*)$" or module:match "^torch(%..*)$"
  return part and "tide" .. part
end

-- Equivalents of other modules.
local kModules <const> = {
  numpy = "tide.tensor creates arrays, tide.np reads their files", math = "math needs no import",
  os = "os and io need no import", sys = "arg holds the arguments, os.exit ends the script",
  random = "math.random, or tide.rand", time = "os.time, or tide.time", ["matplotlib.pyplot"] = "tide.plot has figures",
  pandas = "tide.data.read_csv", PIL = "tide.vision.io.read_image", torchvision = "tide.vision",
  tensorflow = "tide needs no import", jax = "tide needs no import",
  mxnet = "tide needs no import", keras = "tide needs no import",
}

--- import torch.nn as nn
local function import(module, name)
  local place = in_tide(module)
  local known = kModules[module] or kModules[module:match "^[%w_]+"]
  if known then return known end
  if place and (place == "tide" or not name) then return "tide needs no import" end
  return ("local %s = %s"):format(name or module:match "[%w_]+$", place or ('require "%s"'):format(module))
end

--- from torch import nn
local function from_import(module, name)
  local place = in_tide(module)
  return place and ("local %s = %s.%s"):format(name, place, name) or import(module)
end

local function definition(name, parameters)
  local plain = parameters:find "^[%w_%s,]*$" and parameters or "..."
  return ("function %s(%s) ... end"):format(name, plain)
end

--- The class with the first of its bases.
local function class(name, base)
  local bases = {[""] = "", ["torch.nn.Module"] = ", tide.nn.Module", ["Dataset"] = ", tide.data.Dataset"}
  return ('local %s = tide.class("%s"%s)'):format(name, name, bases[base] or ", " .. base)
end

--- x += 1
local function assignment(name, operator, operand)
  if operand == "" then operand = "x" end
  return ("%s = %s %s %s"):format(name, name, operator == "**" and "^" or operator, operand)
end

local kFields <const> = {T = true, mT = true, shape = true, dtype = true, device = true, grad = true, data = true}

--- x:eval
local function member(name) return (kFields[name] and "x.%s" or "x:%s()"):format(name) end

local function counted_loop(name, limits)
  local single = limits:find "^[%w_%.#]+$" and "1, " .. limits
  return ("for %s = %s do ... end"):format(name, single or "first, last, step")
end

--- Whether a Python statement that begins with `word` has its block on the same line: while True: pass
local function has_block_after(word, closes)
  local begin, closing = words("^%s*" .. word .. "%s.-:%s+%S"), words("<" .. closes .. ">")
  return function(code) return code:find(begin) ~= nil and not code:find(closing) end
end

-- Patterns, from specific to general: `line`, a pattern or a function of the line's code;
-- `near`, a pattern of the token in Lua's message; `says`, a pattern of the message. `back`: also
-- matches earlier lines, because after a colon at the end of a line Lua reads on. `lua` is the Lua
-- equivalent, or a function of the captures of `line`.
local kRows <const> = {
  -- Statements.
  {line = "^%s*import%s+([%w_%.]+)%s+as%s+([%w_]+)", lua = import},
  {line = "^%s*import%s+([%a_][%w_%.]*)", lua = import},
  {line = "^%s*from%s+([%w_%.]+)%s+import%s+([%w_]+)", lua = from_import},
  {line = "^%s*def%s+([%w_]+)%s*%((.-)%)", lua = definition, back = true},
  {line = "^%s*async%s+def%s+([%w_]+)%s*%((.-)%)", lua = definition, back = true},
  {line = "^%s*class%s+([%w_]+)%s*%(?([%w_%.]*).*:%s*$", lua = class, back = true},
  {line = "^%s*for%s+([%w_]+)%s+in%s+range%s*%((.-)%)%s*:", lua = counted_loop, back = true},
  {line = "^%s*for%s.-%(.-%)%s*<in>", near = "%(", lua = "for i, x, y in loader:enumerate() do"},
  {line = "^%s*for%s.-<in>.*:%s*$", lua = "for i, x in ipairs(list) do ... end", back = true},
  {line = "^%s*for%s.-=.*:%s*$", lua = "for i = first, last do ... end", back = true},
  {line = "^%s*while%s.*:%s*$", lua = "while condition do ... end", back = true},
  {line = has_block_after("while", "do"), lua = "while condition do ... end", back = true},
  {line = has_block_after("if", "then"), lua = "if condition then ... end", back = true},
  {line = "<elif>", lua = "elseif condition then", back = true},
  {line = "^%s*if%s.*:%s*$", lua = "if condition then ... end", back = true},
  {line = "^%s*else%s*:", near = ":", lua = "else, without ':'"},
  {line = "^%s*with%s.*:", lua = "local _ <close> = tide.no_grad(), in a block: do ... end", back = true},
  {line = "^%s*try%s*:%s*$", lua = "local ok, message = pcall(function() ... end)", back = true},
  {line = "^%s*except.*:%s*$", lua = "local ok, message = pcall(function() ... end)", back = true},
  {line = "^%s*finally%s*:%s*$", lua = "local _ <close> = a value whose metatable has __close", back = true},
  {line = "^%s*raise%s+[%a_]", lua = 'error("message")'},
  {line = "^%s*del%s+([%w_%.%[%]]+)", lua = function(name) return name .. " = nil" end},
  {line = "^%s*assert%s+[%a_]", says = "^syntax error", lua = "assert(condition, message)"},
  {line = "^%s*print%s+[%w_]", says = "^syntax error", lua = "print(x)"},
  {line = "^%s*global%s+[%a_]", lua = "names without `local` are global"},
  {line = "^%s*nonlocal%s+[%a_]", lua = "locals of outer functions need no declaration"},
  {line = "^%s*pass%s*$", says = "^syntax error", lua = "an empty block needs no statement", back = true},
  {line = "^%s*continue%s*$", says = "^syntax error", lua = "goto continue, and at the end of the loop ::continue::",
    back = true},
  {line = "<continue>%s+<end>", near = "end", lua = "goto continue, and at the end of the loop ::continue::"},
  {line = "^%s*@[%a_]", near = "@", lua = "f = decorator(f)"},
  {line = "^%s*\"\"\"\"\"\"", lua = "--[[ text ]]"},
  -- Operators.
  {line = "([%a_][%w_%.%[%]]*)%s*([%+%-%*/%%&|^]+)=%s*([%w_%.]*)", near = "[%+%-%*/%%&|^]+", lua = assignment},
  {line = "([%a_][%w_%.%[%]]*)%+%+", near = "%+",
    lua = function(name) return ("%s = %s + 1"):format(name, name) end},
  {line = "%S%s*@%s*[%w_%(]", near = "@", lua = "a:matmul(b)"},
  {line = "[%w_%)%]]%s*%*%*", near = "%*", lua = "a ^ b"},
  {line = "[%(,]%s*%*[%a_]", near = "%*", lua = "f(table.unpack(list))"},
  {line = "[%(,]%s*%*%*[%a_]", near = "%*", lua = "f(options), with a table of named arguments"},
  {line = "!=", near = "!", lua = "a ~= b"},
  {line = "![%w_%(]", near = "!", lua = "not a"},
  {line = "&&", near = "&", lua = "a and b"},
  {line = "||", near = "|", lua = "a or b"},
  {line = "<is>%s+None", lua = "a == nil"},
  {line = "<is>%s+<not>", near = "is", lua = "a ~= b"},
  {line = "<is>%s+[%a_]", near = "is", lua = "a == b"},
  {line = "^%s*%l*if%s.-<in>", near = "in", lua = "t[key] ~= nil"},
  {line = "^%s*while%s.-<in>", near = "in", lua = "t[key] ~= nil"},
  {line = "^%s*%l*if%s.-[^=~<>]=[^=]", near = "=", says = "^'then' expected", lua = "a == b"},
  {line = "\"%s*%%%s*[%w_%(]", near = "%%", lua = '("%d"):format(x)'},
  {line = has_inline_if, lua = "c and a or b"},
  {line = "%?", near = "%?", lua = "c and a or b"},
  {line = "<lambda>%s*([%w_,%s]*):", lua = function(parameters)
    return ("function(%s) return ... end"):format(parameters:match "^%s*(.-)%s*$")
  end},
  -- Brackets.
  {line = has_slice, lua = "x[{ {first, last} }], with both ends, and {} for all"},
  {line = ":%s*([%a_][%w_]*)%s*[%),]", near = "[%),]", says = "^function arguments expected",
    lua = member},
  {line = ":%s*([%a_][%w_]*)%s*$", says = "^function arguments expected", back = true, lua = member},
  {line = "%[.-%S%s+<for>%s.-<in>", lua = "for i = 1, n do list[i] = x end"},
  {line = "[%w_%)%]]%[[^%[%]]*,", near = ",", says = "^'%]' expected", lua = "x[{1, 2}]"},
  {line = "%[[^%[%]]*,", near = ",", says = "^'%]' expected", lua = "{{1, 2}, {3, 4}}"},
  {line = "}%s*%[", near = "%[", lua = "({1, 2})[1]"},
  {line = "%[", near = "%[", says = "^unexpected symbol", lua = "{1, 2, 3}"},
  {line = "=%s*%([^%(%)]*,", near = ",", says = "^'%)' expected", lua = "x, y = 1, 2"},
  {line = "[%(,]%s*%([^%(%)]*,", near = ",", says = "^'%)' expected", lua = "{1, 2}"},
  {line = "[{,]%s*\"+%s*:[%s%d\"{%[%-]", lua = "{key = value}"},
  {line = "{%s*[%a_][%w_]*%s*:%s", says = "expected", lua = "{key = value}"},
  {line = has_named_argument, near = "=", says = "^'%)' expected", lua = "f(x, {name = value})"},
  {line = "<function>[%s%w_%.:]*%(", near = "=", says = "^'%)' expected", lua = "if x == nil then x = 1 end"},
  {line = "^%s*[%a_][%w_]*%s*:%s*[%a_][%w_%.]*%s*=", near = "=", lua = "local x = 1, without a type"},
  -- Words.
  {line = "%d_%d", near = "%d+_%w*", lua = "numbers have no '_'"},
  {line = "#%s", near = "#", lua = "-- begins a comment"},
  {line = "^%s*#", near = "#", lua = "-- begins a comment"},
}

for _, row in ipairs(kRows) do
  if type(row.line) == "string" then row.line = words(row.line) end
end

local kBack <const> = 3 -- lines of code before that of the error

--- The hint of a row for a line, if it matches; else nil.
local function advice(row, code, says)
  if type(row.line) == "function" then return row.line(code, says) and row.lua or nil end
  local first, second, third = code:match(row.line)
  if not first then return nil end
  return type(row.lua) == "string" and row.lua or row.lua(first, second, third)
end

--- The code of the line, and of some before it.
local function lines_up_to(lines, number)
  local codes = {source.code(lines[number] or "")}
  for i = number - 1, lines.first or 1, -1 do
    local code = source.code(lines[i] or "")
    if code:find "%S" then codes[#codes + 1] = code end
    if #codes > kBack then break end
  end
  return codes
end

local kKeywords <const> = {["end"] = true, ["do"] = true, ["else"] = true, ["then"] = true, ["repeat"] = true}

--- The hint for a name alone on a line: net.eval. Lua's message is about the next token.
local function bare_name(codes, near)
  for i = 1, 2 do
    local name = (codes[i] or ""):match "^%s*([%a_][%w_%.]*)%s*$"
    if name and not kKeywords[name] then
      local object, method = name:match "^(.*)%.([%w_]+)$"
      local call = object and object .. ":" .. method or name
      return ("%s(), or print(%s)"):format(call, name)
    end
    local first = codes[1]:match "^%s*([%w_]+)" or codes[1]:match "^%s*(%S)"
    if first and near ~= "<eof>" and first ~= near then return nil end
  end
  return nil
end

--- The Lua equivalent for a syntax error message of Lua; nil if
--- it is not a known mistake. `lines` are those of the text.
local function in_lua(message, lines)
  local number, says, near = message:match ":(%d+): (.+) near ([^\n]+)$"
  if not number then return nil end
  near = near:match "^'(.*)'$" or near
  local codes = lines_up_to(lines, math.tointeger(tonumber(number)))
  for _, row in ipairs(kRows) do
    if (not row.near or near:find("^" .. row.near .. "$")) and (not row.says or says:find(row.says)) then
      for i = 1, row.back and #codes or 1 do
        local text = advice(row, codes[i], says)
        if text then return text end
      end
    end
  end
  return says == "syntax error" and bare_name(codes, near) or nil
end

return in_lua
