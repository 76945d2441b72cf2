-- Pools with windows that end, or would begin, in the padding after the input: a window counts if it
-- begins in the input or in the padding before it.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local F = tide.nn.functional

-- {call, shape, shape of the result, values, gradient of their sum with weights 1, 2, ...}:
-- torch.nn.functional in float64, of sin(1.7 i).
local cases = {
  {"F.max_pool1d(x, 2, 3, 1, {ceil_mode = true})", {1, 2, 4}, {1, 2, 2},
    {0, -0.255541102027, 0.494113351139, -0.618137112237},
    {1, 0, 2, 0, 3, 0, 0, 4}},
  {"F.avg_pool1d(x, 2, 3, 1, {ceil_mode = true})", {1, 2, 4}, {1, 2, 2},
    {0, -0.590677892177, 0.247056675569, -0.659005899915},
    {0.5, 0, 1, 1, 1.5, 0, 2, 2}},
  {"F.avg_pool1d(x, 2, 3, 1, {ceil_mode = true, count_include_pad = false})", {1, 2, 4}, {1, 2, 2},
    {0, -0.590677892177, 0.494113351139, -0.659005899915},
    {1, 0, 1, 1, 3, 0, 2, 2}},
  {"F.avg_pool1d(x, 4, 3, 1, {ceil_mode = true})", {1, 1, 6}, {1, 1, 3},
    {0.184030927106, 0.0278111698519, 0.399243556312},
    {0.25, 0.25, 0.75, 0.5, 0.5, 2}},
  {"F.lp_pool1d(x, 2, 3, 2, {ceil_mode = true})", {1, 1, 6}, {1, 1, 3},
    {1.02406071652, 1.08008429514, 1.15004109022},
    {0, 0.968365248717, -0.72272439177, -1.71433782806, 2.84837125522, 3.12440315164}},
  {"F.max_pool2d(x, 2, 3, 1, {ceil_mode = true})", {1, 1, 4, 3}, {1, 1, 2, 2},
    {0, -0.255541102027, 0.396740573131, 0.859161814856},
    {1, 0, 2, 0, 0, 0, 0, 0, 4, 3, 0, 0}},
  {"F.max_pool2d(x, 3, 2, 1, {dilation = 2, ceil_mode = true})", {1, 1, 6, 5}, {1, 1, 3, 2},
    {0.879273061651, 0.879273061651, 0.879273061651, 0.879273061651, 0.879273061651,
      0.879273061651},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0}},
  {"F.avg_pool2d(x, 2, 3, 1, {ceil_mode = true})", {1, 1, 4, 3}, {1, 1, 2, 2},
    {0, -0.0638852755067, -0.0757835286157, 0.177540697261},
    {0.25, 0, 0.5, 0, 0, 0, 0.75, 0, 1, 0.75, 0, 1}},
  {"F.avg_pool2d(x, {3, 4}, {2, 3}, 1, {ceil_mode = true})", {1, 1, 4, 6}, {1, 1, 3, 3},
    {0.023106143621, 0.0213958791417, 0.108248014468, 0.00287980682127, 0.0113955176521,
      0.041827322167, 0.0717562259818, 0.0387930889471, 0.246400074698},
    {0.0833333333333, 0.0833333333333, 0.25, 0.166666666667, 0.166666666667, 0.666666666667,
      0.416666666667, 0.416666666667, 1, 0.583333333333, 0.583333333333, 2.08333333333,
      0.333333333333, 0.333333333333, 0.75, 0.416666666667, 0.416666666667, 1.41666666667,
      1.20833333333, 1.20833333333, 2.625, 1.41666666667, 1.41666666667, 4.66666666667}},
  {"F.avg_pool2d(x, {3, 4}, {2, 3}, 1, {ceil_mode = true, divisor_override = 5})",
    {1, 1, 4, 6}, {1, 1, 3, 3},
    {0.0554547446903, 0.0513501099402, 0.129897617362, 0.00691153637106, 0.027349242365,
      0.0501927866004, 0.114809961571, 0.0620689423154, 0.197120059758},
    {0.2, 0.2, 0.6, 0.4, 0.4, 1, 1, 1, 2.4, 1.4, 1.4, 3.2, 0.8, 0.8, 1.8, 1, 1, 2.2, 2.2, 2.2,
      4.8, 2.6, 2.6, 5.6}},
  {"F.max_pool3d(x, 2, 3, 1, {ceil_mode = true})", {1, 1, 4, 3, 2}, {1, 1, 2, 2, 1},
    {0, 0.494113351139, 0.999792900143, 0.879273061651},
    {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}},
  {"F.avg_pool3d(x, 2, 3, 1, {ceil_mode = true})", {1, 1, 4, 3, 2}, {1, 1, 2, 2, 1},
    {0, 0.0617641688923, 0.0339290165389, 0.0730751825188},
    {0.125, 0, 0, 0, 0.25, 0, 0, 0, 0, 0, 0, 0, 0.375, 0, 0, 0, 0.5, 0, 0.375, 0, 0, 0, 0.5,
      0}},
  {"F.avg_pool3d(x, {3, 2, 4}, {2, 3, 3}, 1, {ceil_mode = true})", {1, 1, 4, 2, 6}, {1, 1, 3, 1, 3},
    {0.027311731975, -0.00866082044324, 0.0177374810541, -0.0320625437533, -0.00538705202435,
      -0.0713161246, 0.00315919190796, 0.0196279929344, 0.0690209231135},
    {0.0416666666667, 0.0416666666667, 0.125, 0.0833333333333, 0.0833333333333, 0.333333333333,
      0, 0, 0, 0, 0, 0, 0.208333333333, 0.208333333333, 0.5, 0.291666666667, 0.291666666667,
      1.04166666667, 0, 0, 0, 0, 0, 0, 0.166666666667, 0.166666666667, 0.375, 0.208333333333,
      0.208333333333, 0.708333333333, 0, 0, 0, 0, 0, 0, 0.604166666667, 0.604166666667, 1.3125,
      0.708333333333, 0.708333333333, 2.33333333333, 0, 0, 0, 0, 0, 0}},
  {"F.avg_pool3d(x, {3, 2, 4}, {2, 3, 3}, 1, {ceil_mode = true, count_include_pad = false})",
    {1, 1, 4, 2, 6}, {1, 1, 3, 1, 3},
    {0.1092469279, -0.0259824613297, 0.106424886325, -0.0855001166755, -0.0107741040487,
      -0.2852644984, 0.0168490235091, 0.0785119717377, 0.552167384908},
    {0.166666666667, 0.166666666667, 0.416666666667, 0.25, 0.25, 1.75, 0, 0, 0, 0, 0, 0,
      0.611111111111, 0.611111111111, 1.27777777778, 0.666666666667, 0.666666666667,
      4.16666666667, 0, 0, 0, 0, 0, 0, 0.444444444444, 0.444444444444, 0.861111111111,
      0.416666666667, 0.416666666667, 2.41666666667, 0, 0, 0, 0, 0, 0, 2.77777777778,
      2.77777777778, 5.19444444444, 2.41666666667, 2.41666666667, 13.4166666667, 0, 0, 0, 0, 0,
      0}},
}

describe("pools with ceil_mode", function(device)
  for _, case in ipairs(cases) do
    local call, shape, size, values, gradient = table.unpack(case)
    it(("%s of (%s)"):format(call, table.concat(shape, ", ")), function()
      local count = 1
      for _, n in ipairs(shape) do count = count * n end
      local place = {dtype = "float64", device = device}
      local x = (tide.arange(count, place) * 1.7):sin():reshape(shape):requires_grad_()
      local y = load("return " .. call, "=call", "t", {F = F, x = x})()
      equal(y.shape, size)
      close(y:detach():reshape(-1), tide.tensor(values, place), {rtol = 1e-11, atol = 1e-12});
      (y:reshape(-1) * tide.range(1, #values, place)):sum():backward()
      close(x.grad:reshape(-1), tide.tensor(gradient, place), {rtol = 1e-11, atol = 1e-12})
    end)
  end

  -- {size, kernel, stride, padding, results}: by simple division the last window would begin
  -- after the input.
  local sizes = {
    {3, 2, 2, 1, 2}, {3, 3, 4, 1, 1}, {4, 2, 3, 1, 2}, {4, 4, 3, 2, 2}, {5, 2, 2, 1, 3},
    {6, 3, 4, 1, 2}, {6, 4, 5, 2, 2}, {7, 2, 3, 1, 3}, {7, 4, 3, 2, 3},
  }
  for _, case in ipairs(sizes) do
    local size, kernel, stride, padding, count = table.unpack(case)
    it(("return %d results of %d with kernel %d, stride %d, padding %d"):format(count, size, kernel,
      stride, padding), function()
      local options = {ceil_mode = true}
      local line = tide.ones({1, 1, size}, {device = device})
      local plane = tide.ones({1, 1, size, size}, {device = device})
      local volume = tide.ones({1, 1, size, size, size}, {device = device})
      for _, kind in ipairs {"max", "avg"} do
        equal(F[kind .. "_pool1d"](line, kernel, stride, padding, options).shape, {1, 1, count})
        equal(F[kind .. "_pool2d"](plane, kernel, stride, padding, options).shape,
          {1, 1, count, count})
        equal(F[kind .. "_pool3d"](volume, kernel, stride, padding, options).shape,
          {1, 1, count, count, count})
      end
    end)
  end
  it("accept padding of at most half the kernel", function()
    local line = tide.ones({1, 1, 6}, {device = device})
    equal(F.max_pool1d(line, 3, 1, 1).shape, {1, 1, 6})
    raises("max_pool1d: padding must be at most half the kernel: 2 of 3", F.max_pool1d, line, 3, 1,
      2)
    raises("the kernel of size 9 reaches beyond the padded input of size 6", F.max_pool1d, line, 9,
      1)
  end)
end)
