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
    {"pending", "(name)", "A test that cannot run yet, or not here; in a test: ends it so",
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
      "As equal; numbers of Lua must also both be integers, or both floats",
      "tide.test.same_type(tide.tensor{1.0, 2}:sum():item(), 3.0)"},
    {"identical", "(got, expected)", "Asserts equal bits",
      "tide.test.identical(tide.ones(2) + 0, tide.ones(2))"},
    {"is_true", "(value)", "Asserts something other than nil and false",
      "tide.test.is_true(2 > 1)"},
    {"is_false", "(value)", "Asserts nil or false",
      "tide.test.is_false(1 > 2)"},
    {"is_nil", "(value)", "Asserts nil",
      "tide.test.is_nil(tide.ones(2).grad)"},
    {"raises", "(message, fn, ...)",
      "Asserts an error whose text contains the message; returns the text",
      [[tide.test.raises("inner sizes differ", tide.matmul, tide.ones(2, 3), tide.ones(2, ]] ..
        "3)) ~= nil --> true"},
    {"run", "({filter, tags, devices, list, report})", "Runs the tests registered so far",
      [[tide.test.run({filter = "no test is named so"}) --> 0, 0, 0]]},
  },
  {
    title = "Helpers",
    prefix = "tide.",
    {"broadcast_shapes", "(shape...)", "The common shape that tensors of these shapes broadcast to",
      "tide.broadcast_shapes({2, 1}, {3}) --> {2, 3}"},
    {"as_tensor", "(data, {dtype, device})",
      "A tensor of Lua values, or the tensor given, converted and moved only if needed",
      "tide.as_tensor({1, 2}) --> {1, 2}"},
    {"segment_reduce", "(data, reduce, {lengths, offsets, axis, unsafe, initial})",
      "The sum, mean, prod, max or min of stretches of a dimension, one after the other; looks " ..
        "whether lengths fit, which waits, unless unsafe",
      [[tide.segment_reduce(tide.tensor{1.0, 2, 3, 4}, "sum", ]] ..
        "{lengths = tide.tensor{1, 3}}) --> {1.0, 9.0}"},
    {"histogramdd", "(x, bins, {range, weight, density})",
      "How many points (rows of x) lie in each box of a grid, and a table of its edges; waits " ..
        "without a range",
      "tide.histogramdd(tide.tensor{{0.0, 1}, {1, 0}, {2, 2}}, {2, 1}) --> " ..
        "{{1.0}, {2.0}}, {{0.0, 1.0, 2.0}, {0.0, 2.0}}"},
    {"svd_lowrank", "(A, {q, niter, M})",
      "U, S, V with U diag(S) V' nearly A, for the q largest singular values",
      "local U, S, V = tide.svd_lowrank(tide.tensor{{3.0, 0}, {0, 4}}, {q = 2}); S --> {4.0, 3.0}"},
    {"pca_lowrank", "(A, {q, center, niter})",
      "svd_lowrank of samples around their mean: the columns of V are the main directions",
      "local U, S, V = tide.pca_lowrank(tide.tensor{{1.0, 1}, {3, 3}}, {q = 1}); " ..
        "S --> {2.0}"},
    {"gradient", "(x, {spacing, dim, edge_order})",
      "A table of slopes along each dimension, from neighbouring elements",
      "tide.gradient(tide.tensor{1.0, 4, 9, 16}) --> {{3.0, 4.0, 6.0, 7.0}}"},
    {"args", "({name = default, ...})", "The script's arguments by name: --epochs 5",
      [[tide.args({epochs = 10}, {"--epochs", "5"}).epochs --> 5]]},
    {"checkpoint", "(fn, ...)", "fn(...), computed anew in backward instead of kept",
      "local x = tide.ones(2):requires_grad_(); " ..
        "tide.checkpoint(function(x) return x * x end, x):sum():backward(); " ..
        "x.grad --> {2.0, 2.0}"},
    {"finfo", "(dtype?)", "A table: eps, max, min, tiny, bits of a floating type",
      [[tide.finfo("float32").bits --> 32]]},
    {"iinfo", "(dtype)", "A table: min, max, bits of an integer type",
      [[tide.iinfo("int8").max --> 127]]},
    {"autograd", "", "Derivatives: see tide.autograd.NAME",
      "tide.autograd.gradcheck ~= nil --> true"},
    {"func", "", "Derivatives as functions, modules as functions: see tide.func.NAME",
      "tide.func.grad ~= nil --> true"},
    {"random", "", "Random numbers under NumPy's names: see tide.random.NAME",
      "tide.random.randint(1, 1) --> 1"},
    {"amp", "", "Half types: see tide.amp.NAME",
      "tide.amp.GradScaler ~= nil --> true"},
    {"progress", "(n | list | iterator, {label, total})",
      "Walks it while a line shows how far it is",
      "local sum = 0; for i in tide.progress(3) do sum = sum + i end; sum --> 6"},
    {"help", "(name_or_function?)",
      "The text of the reference on a name, a function, or a family of them; where there is none, a text that says so, and false",
      [[tide.help("sqrt"):match("^[^\n]*") --> "x:sqrt()"]]},
    {"class", "(name, base?)", "A class with single inheritance; calling it makes an object",
      [[local Point = tide.class("Point"); function Point:init(x) self.x = x end; ]] ..
        "Point(3).x --> 3"},
  },
}
