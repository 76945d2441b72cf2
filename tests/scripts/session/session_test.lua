-- A session as used by a notebook kernel: texts are read and run without a terminal.
local tide, test = require "tide", require "tide.test"
local describe, it, equal = test.describe, test.it, test.equal
local Session = require "tide.session.session"

--- Runs texts one after the other as inputs 1, 2, ...; returns the results of the last, in a table.
local function run(session, ...)
  local results
  for number, text in ipairs {...} do
    local kind, value = session:read(text, number)
    equal(kind, "run", kind == "wrong" and value or text)
    results = table.pack(value())
    results.note = session:finish(results[1])
  end
  return results
end

local function kind_of(text)
  local session = Session()
  return (session:read(text, 1))
end

describe("the kind of a text", function()
  for text, kind in pairs {
    ["1"] = "run", ["x ="] = "unfinished", ["for i = 1, 2 do"] = "unfinished",
    ["f("] = "unfinished",
    ["[["] = "unfinished", ["x = = 1"] = "wrong", ["for i in range(3):"] = "wrong",
    ["end"] = "wrong", ["'"] = "unfinished",
    [" \n\t"] = "nothing", ["-- a comment"] = "run", exit = "leave", ["quit()"] = "leave",
    ["exit = 1"] = "run", ["%nosuch"] = "run", ["!true"] = "run", ["?"] = "run", ["="] = "run",
    ["local x <const> = 1 x = 2"] = "wrong", ["> x\n> = 1"] = "run",
    ["goto nowhere"] = "wrong",
    ["\xff"] = "wrong", ["x = '\xff'"] = "run",
  } do
    it(("%q is %s"):format(text, kind), function() equal(kind_of(text), kind) end)
  end

  it("a text of 100,000 columns is read", function()
    equal(kind_of("local x = '" .. ("x"):rep(100000) .. "'"), "run")
    equal(kind_of(("f() "):rep(25000)), "run")
    equal(kind_of("x = {" .. ("1, "):rep(30000)), "unfinished")
  end)
end)

describe("the last expression", function()
  for text, value in pairs {
    ["q = 5; q"] = 5, ["q = 5 q"] = 5, ["q = 5; q + 1"] = 6, ["q = 5; -q"] = -5,
    ["q = 2 math.max(q, 3)"] = 3, ["q = 2; (function() return q end)()"] = 2,
    ["q = {1,\n2}\n#q"] = 2, ["f = string.rep\nf('a', 2)"] = "aa", ["q = 1; 'text'"] = "text",
    ["do local q = 1 end; 7"] = 7, ["q = 4 -- a comment\nq -- another"] = 4,
    ["for i = 1, 2 do\nq = i end q"] = 2, ["local q = 'do end (' q"] = "do end (",
    ["q = function() return 1 end q()"] = 1, ["= 3"] = 3, ["q = 1; q, 2"] = 1,
    ["local s = [[\nend]] s"] = "end", ["if true then q = 1 end q"] = 1,
  } do
    it(("of %q is returned"):format(text), function()
      equal(run(Session(), text)[1], value)
    end)
  end

  it("is not what continues the previous line, as in Lua", function()
    local results = run(Session(), "f = function(x) return function() return x end end",
      "y = f\n(3)", "y()")
    equal(results[1], 3)
    equal(run(Session(), "q = 1", "q = 5\n-q").n, 0)
  end)

  it("does not exist after assignments, loops and declarations", function()
    for _, text in ipairs {"x = math.max(1, 2)", "for i = 1, 2 do math.max(i, 2) end",
      "local x = f", "::l::"} do
      equal(run(Session(), text).n, 0)
    end
  end)
end)

describe("locals at the top of an input", function()
  it("persist in later inputs", function()
    local results = run(Session(), "local a, b = 1", "local function f() return g and g() or a end",
      "local c\n<const>, d = 3, 4; local e", "a, b, f(), c, d, e")
    equal(table.concat({results[1], tostring(results[2]), results[3], results[4], results[5]}, " "),
      "1 nil 1 3 4")
    equal(results.n, 6)
  end)

  it("preserve the lines of errors", function()
    local session = Session()
    local _, value = session:read("local a\n<const>\n, b = 1\nerror 'here'", 12)
    local _, message = pcall(value)
    equal(message, "In [12]:4: here")
  end)

  it("in blocks are local to them", function()
    equal(run(Session(), "do local inner = 1 end", "inner").n, 1)
    equal(run(Session(), "if true then local inner = 1 end", "inner")[1], nil)
  end)

  it("shadow a global of the library in inputs only", function()
    local results = run(Session(), "local type, next = 'conv'",
      "tide.nn.Linear(1, 1)", "type, next, _G.type(1)")
    equal(results[1], "conv")
    equal(results[3], "number")
    equal(type(1), "number")
  end)

  it("that are to be closed end with their input, with a note", function()
    local session = Session()
    closed = nil
    local results = run(session,
      "local c <close> = setmetatable({}, {__close = function() closed = true end}); closed")
    equal(results[1], nil)
    equal(closed, true)
    test.is_true(results.note:find "^c <close> ended with its input")
    closed = nil
  end)
end)

describe("scopes", function()
  it("that are not stored end with their input", function()
    for _, text in ipairs {"tide.no_grad()", "tide.no_grad(); x = 1",
      "tide.eager() tide.no_grad()"} do
      local session = Session()
      local results = run(session, text)
      test.is_true(results.note:find "^a scope that no variable holds ends with its input")
      equal(run(session, "tide.is_grad_enabled()")[1], true)
    end
  end)

  it("that a variable holds stay open", function()
    local session = Session()
    equal(run(session, "scope = tide.no_grad()").note, nil)
    equal(run(session, "tide.is_grad_enabled()")[1], false)
    run(session, "scope:close()")
    equal(run(session, "tide.is_grad_enabled()")[1], true)
    equal(run(session, "local kept = tide.no_grad()", "tide.is_grad_enabled()")[1], false)
    run(session, "kept:close()")
    equal(tide.is_grad_enabled(), true)
    scope = nil
  end)

  it("of functions and blocks get no note", function()
    local session = Session()
    for _, text in ipairs {"tide.no_grad(tide.is_grad_enabled)",
      "do local _ <close> = tide.no_grad() x = tide.is_grad_enabled() end x"} do
      local results = run(session, text)
      equal(results[1], false)
      equal(results.note, nil)
    end
  end)
end)

describe("results", function()
  it("are kept by the number of their input, the last ten of them", function()
    local session = Session()
    local texts = {}
    for i = 1, 12 do texts[i] = tostring(100 * i) end
    run(session, table.unpack(texts))
    equal(_G._, 1200)
    equal(_G._12, 1200)
    equal(_G._3, 300)
    equal(_G._2, nil)
  end)
end)

describe("a text copied from a session", function()
  it("loses its prompt marks", function()
    for _, text in ipairs {"> q = 7", "In [3]: q = 7", "    > q = 7", ">> q = 7",
      "In [12]: do\n    ...: q = 7\n    ...: end"} do
      equal(run(Session(), text, "q")[1], 7)
      q = nil
    end
  end)

  it("keeps similar text in a string", function()
    equal(run(Session(), "q = [[\n> quoted]] return q")[1], "> quoted")
  end)
end)
