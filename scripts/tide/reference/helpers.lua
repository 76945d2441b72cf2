-- The reference of data, tests and helpers.
return {
  {
    title = "Data",
    prefix = "tide.data.",
    {"TensorDataset", "(tensor...)", "Samples that are the rows of tensors",
      "#tide.data.TensorDataset(tide.ones(5, 3), tide.ones(5)) --> 5"},
    {"DataLoader", "(dataset, {batch_size, shuffle, drop_last, pin_memory})",
      "Walks a data set in batches: for x, y in loader:iter()",
      "#tide.data.DataLoader(tide.data.TensorDataset(tide.ones(5, 3)), {batch_size = 2}) --> 3"},
    {"digits", "()", "Images (1797, 8, 8) and labels of handwritten digits",
      "local images, labels = tide.data.digits(); " ..
        "images.shape, labels.shape --> {1797, 8, 8}, {1797}"},
  },
  {
    title = "Tests",
    prefix = "tide.test.",
    {"describe", "(name, fn)", "A group of tests; fn is called with each device in turn",
      [[tide.test.describe("sums", function() tide.test.it("add", function() ]] ..
        "tide.test.equal(1 + 1, 2) end) end)"},
    {"it", "(name, fn)", "One test; fails if fn raises an error",
      [[tide.test.describe("sums", function() tide.test.it("add", function() ]] ..
        "tide.test.equal(1 + 1, 2) end) end)"},
    {"pending", "(name)", "A test that cannot run yet, or not here",
      [[tide.test.describe("sums", function() tide.test.pending("wait for a GPU") end)]]},
    {"before_each", "(fn)", "Runs before each test of the group",
      [[tide.test.describe("sums", function() local x; ]] ..
        "tide.test.before_each(function() x = tide.ones(2) end) end)"},
    {"after_each", "(fn)", "Runs after each test of the group, also if it failed",
      [[tide.test.describe("sums", function() tide.test.after_each(function() ]] ..
        [[os.remove("x.npy") end) end)]]},
    {"close", "(got, expected, {rtol, atol})", "Asserts equality up to rounding",
      "tide.test.close(tide.tensor{0.1}:add(0.2), {0.3})"},
    {"equal", "(got, expected)",
      "Asserts equal type, shape and values, or equal contents of tables",
      "tide.test.equal(tide.tensor{1, 2}:sum():item(), 3)"},
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
    {"run", "({filter, devices, list, report})", "Runs the tests registered so far",
      [[tide.test.run({filter = "no test is named so"}) --> 0, 0, 0]]},
  },
  {
    title = "Helpers",
    prefix = "tide.",
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
    {"amp", "", "Half types: see tide.amp.NAME",
      "tide.amp.GradScaler ~= nil --> true"},
    {"progress", "(n | list | iterator, {label, total})",
      "Walks it while a line shows how far it is",
      "local sum = 0; for i in tide.progress(3) do sum = sum + i end; sum --> 6"},
    {"help", "(name_or_function?)",
      "The text of the reference on a name, a function, or a family of them",
      [[tide.help("sqrt"):match("^[^\n]*") --> "x:sqrt()"]]},
    {"class", "(name, base?)", "A class with single inheritance; calling it makes an object",
      [[local Point = tide.class("Point"); function Point:init(x) self.x = x end; ]] ..
        "Point(3).x --> 3"},
  },
}
