-- The reference of tests and helpers.
return {
  {
    title = "Tests",
    prefix = "tide.test.",
    {"describe", "(name, fn)", "A group of tests; fn is called with each device in turn",
      [[tide.test.describe("sums", function() tide.test.it("add", function() ]] ..
        "tide.test.equal(1 + 1, 2) end) end)"},
    {"it", "(name, fn)", "One test; fails if fn raises an error",
      [[tide.test.describe("sums", function() tide.test.it("add", function() ]] ..
        "tide.test.equal(1 + 1, 2) end) end)"},
    {"pending", "(name)", "A test that cannot run yet, or not here; called in a test, ends it as pending",
      [[tide.test.describe("sums", function() tide.test.pending("wait for a GPU") end)]]},
    {"before_each", "(fn)", "Runs before each test of the group",
      [[tide.test.describe("sums", function() local x; ]] ..
        "tide.test.before_each(function() x = tide.ones(2) end) end)"},
    {"after_each", "(fn)", "Runs after each test of the group, also if it failed",
      [[tide.test.describe("sums", function() tide.test.after_each(function() ]] ..
        [[os.remove("x.npy") end) end)]]},
    {"setup", "(fn)", "Runs once before the tests of the group",
      [[tide.test.describe("sums", function() local x; ]] ..
        "tide.test.setup(function() x = tide.ones(2) end) end)"},
    {"teardown", "(fn)", "Runs once after the tests of the group, also if one failed",
      [[tide.test.describe("sums", function() tide.test.teardown(function() ]] ..
        [[os.remove("x.npy") end) end)]]},
    {"finally", "(fn)", "Runs at the end of the test that calls it, also if it fails",
      [[tide.test.describe("sums", function() tide.test.it("add", function() ]] ..
        [[tide.test.finally(function() os.remove("x.npy") end) end) end)]]},
    {"close", "(got, expected, {rtol, atol})", "Asserts equality up to rounding",
      "tide.test.close(tide.tensor{0.1}:add(0.2), {0.3})"},
    {"equal", "(got, expected)",
      "Asserts equal type, shape and values, or equal contents of tables",
      "tide.test.equal(tide.tensor{1, 2}:sum():item(), 3)"},
    {"same_type", "(got, expected)",
      "Like equal, but Lua numbers must also both be integers, or both floats",
      "tide.test.same_type(tide.tensor{1.0, 2}:sum():item(), 3.0)"},
    {"identical", "(got, expected)", "Asserts equal bits",
      "tide.test.identical(tide.ones(2) + 0, tide.ones(2))"},
    {"is_true", "(value)", "Asserts a value other than nil and false",
      "tide.test.is_true(2 > 1)"},
    {"is_false", "(value)", "Asserts nil or false",
      "tide.test.is_false(1 > 2)"},
    {"is_nil", "(value)", "Asserts nil",
      "tide.test.is_nil(tide.ones(2).grad)"},
    {"raises", "(message, fn, ...)",
      "Asserts an error whose text contains the message; returns the text",
      [[tide.test.raises("inner sizes differ", tide.matmul, tide.ones(2, 3), tide.ones(2, ]] ..
        "3)) ~= nil --> true"},
    {"exercises", "(exercises)",
      "Calls check(expect) of each {name, check}; expect(condition, hint) marks an exercise as unsolved " ..
        "if the condition is false, as " ..
        "does an error. Prints a line for each with its hint, and raises an error if one is unsolved",
      [[pcall(tide.test.exercises, {{"1. Add", function(expect) expect(1 + 1 == 3, "count again") end}}) --> ]] ..
        [[false, "1 of 1 exercises unsolved"]]},
    {"run", "({filter, tags, devices, list, report})", "Runs the tests registered so far",
      [[tide.test.run({filter = "no test is named so"}) --> 0, 0, 0]]},
  },
  {
    title = "Helpers",
    prefix = "tide.",
    {"version", "", "The version of tide, as text: major, minor and patch number",
      [[tide.version:match("^%d+%.%d+%.%d+$") == tide.version --> true]]},
    {"args", "({name = default, ...})", "The script's arguments by name: --epochs 5",
      [[tide.args({epochs = 10}, {"--epochs", "5"}).epochs --> 5]]},
    {"checkpoint", "(fn, ...)", "fn(...), recomputed in backward instead of saved",
      "local x = tide.ones(2):requires_grad_(); " ..
        "tide.checkpoint(function(x) return x * x end, x):sum():backward(); " ..
        "x.grad --> {2.0, 2.0}"},
    {"explain", "(fn | x)",
      "Calls fn once and returns an explanation and fn's results: the kernels of its ops, why they are not fused " ..
        "further, their FLOPs, bytes and bound. Of a tensor: the ops recorded for its device, not flushed. " ..
        "Does not wait. Steps are explanation[1], ...; fields of a step: number, kind (\"loop\", \"compute\", " ..
        "\"copy\"), name, ops, lines, window, device, shape, reads, writes, bytes, flops, intensity, least_ms and " ..
        "bound. explanation.windows and explanation.notes explain what cut windows and what was not fused",
      [[local x = tide.ones(4); tide.flush(); #tide.explain(function() return (x * 2 + 1):sum() end) --> 1]]},
    {"progress", "(n | list | loader | iterator, {label, total})",
      "Iterates while a line shows the progress",
      "local sum = 0; for i in tide.progress(3) do sum = sum + i end; sum --> 6"},
    {"help", "(name_or_function?)",
      "The reference text for a name, a function, or a family of them; if there is none, a text that " ..
        "says so, and false",
      [[tide.help("sleep"):match("^[^\n]*") --> "tide.sleep(seconds)"]]},
    {"class", "(name, base?)", "A class with single inheritance; calling it creates an object",
      [[local Point = tide.class("Point"); function Point:init(x) self.x = x end; ]] ..
        "Point(3).x --> 3"},
  },
  {
    title = "Profiles",
    prefix = "tide.profiler.",
    {"profile", "(fn, options)", "The same as tide.profile",
      "tide.profiler.profile == tide.profile --> true"},
  },
}
