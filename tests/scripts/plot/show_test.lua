-- How figures are shown: the protocol for each terminal, and the bytes that it receives.
local tide = require "tide"
local test = require "tide.test"
local gnuplot = require "tide.plot.gnuplot"
local notebook = require "tide.display.notebook"
local show = require "tide.plot.show"
local describe, it = test.describe, test.it
local equal = test.same_type

--- A terminal with these variables, which answers the query for its attributes.
local function terminal(variables, answer, width)
  return {
    getenv = function(name) return variables[name] end,
    size = function() return 100, 40, width or 0 end,
    attributes = function() return answer end,
  }
end

describe("a terminal", function()
  local function way(variables, answer) return (show.way(terminal(variables, answer))) end

  it("receives images by kitty's protocol according to its variables", function()
    equal(way {TERM = "xterm-kitty"}, "kitty")
    equal(way {TERM = "xterm-256color", KITTY_WINDOW_ID = "1"}, "kitty")
    equal(way {TERM = "xterm-256color", TERM_PROGRAM = "ghostty"}, "kitty")
    equal(way {TERM = "xterm-256color", TERM_PROGRAM = "WezTerm"}, "kitty")
  end)
  it("receives sixel according to its name or its attributes", function()
    equal(way {TERM = "yaft-sixel"}, "sixel")
    equal(way({TERM = "xterm"}, "\27[?62;4;22c"), "sixel")
    equal(way({TERM = "xterm"}, "\27[?4c"), "sixel")
    equal(way({TERM = "xterm"}, "\27[?62;14;22c"), "text")
    equal(way({TERM = "xterm"}, nil), "text")
    equal(way({TERM = "xterm"}, "what?"), "text")
  end)
  it("inside another is queried, as the variables are the outer one's", function()
    equal(way {TERM = "tmux-256color", KITTY_WINDOW_ID = "1"}, "text")
    equal(way {TERM = "xterm-kitty", TMUX = "/tmp/tmux"}, "text")
    equal(way({TERM = "screen", KITTY_WINDOW_ID = "1"}, "\27[?62;4c"), "sixel")
  end)
  it("that is dumb, or no terminal, receives text", function()
    equal(way({TERM = "dumb", KITTY_WINDOW_ID = "1"}, "\27[?4c"), "text")
    equal(way({KITTY_WINDOW_ID = "1"}, "\27[?4c"), "text")
    local none = terminal({TERM = "xterm-kitty"}, "\27[?4c")
    none.size = function() end
    equal({show.way(none)}, {"text"})
  end)
  it("has color unless it is dumb or color is disabled", function()
    equal(show.terminal(terminal {TERM = "xterm"}).color, true)
    equal(show.terminal(terminal {TERM = "xterm", NO_COLOR = "1"}).color, false)
    equal(show.terminal(terminal {TERM = "dumb"}).color, false)
    equal(show.terminal(terminal {}).color, false)
    equal(show.terminal(terminal {TERM = "xterm"}).moves, true)
    equal(show.terminal(terminal {TERM = "dumb"}).moves, false)
  end)
  it("receives images no wider than it is", function()
    equal(show.pixels(show.terminal(terminal({TERM = "xterm"}, nil, 320)), {640, 480}), {320, 240})
    equal(show.pixels(show.terminal(terminal {TERM = "xterm"}), {1600, 800}), {800, 400})
    equal(show.pixels(show.terminal(terminal {TERM = "xterm"}), {640, 480}), {640, 480})
  end)
  it("receives text in about the proportions of the image, and no more than fits", function()
    equal({show.cells(nil, {640, 480})}, {80, 24})
    equal({show.cells({columns = 60, rows = 50}, {640, 480})}, {60, 18})
    equal({show.cells({columns = 300, rows = 20}, {640, 480})}, {100, 18})
    equal({show.cells({columns = 4, rows = 3}, {640, 480})}, {20, 5})
  end)
end)

describe("a figure in a notebook", function()
  local figure = tide.plot.line {1, 4, 9}
  local function shown_forms()
    local shown
    test.finally(function() notebook.show = nil end)
    notebook.show = function(forms) shown = forms end
    figure:show()
    return shown
  end

  it("is shown in its cell, as an image", function()
    if not gnuplot.is_available() then test.pending "needs gnuplot" end
    local forms = shown_forms()
    test.is_true(forms["image/svg+xml"]:find("<svg", 1, true))
    equal(forms["text/plain"], tostring(figure))
  end)
  it("is shown as text without gnuplot", function()
    local is_available = gnuplot.is_available
    test.finally(function() gnuplot.is_available = is_available end)
    gnuplot.is_available = function() return false end
    equal(shown_forms(), {["text/plain"] = figure:text()})
  end)
end)

describe("images for a terminal", function()
  it("of sixel are gnuplot's own bytes", function()
    equal(show.picture("sixel", "\27Pq...\27\\"), "\27Pq...\27\\\n")
  end)
  it("of kitty are base64 in pieces", function()
    -- RFC 4648, section 10.
    for plain, coded in pairs {
      f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", fooba = "Zm9vYmE=", foobar = "Zm9vYmFy",
    } do
      equal(show.picture("kitty", plain), ("\27_Gf=100,a=T,m=0;%s\27\\\n"):format(coded))
    end
    local shown = show.picture("kitty", ("\255"):rep(6000))
    equal(shown, ("\27_Gf=100,a=T,m=1;%s\27\\\27_Gm=0;%s\27\\\n"):format(("/"):rep(4096), ("/"):rep(3904)))
  end)
end)
