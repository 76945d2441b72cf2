-- Windows of signals: symmetric ones of 5 numbers and periodic ones of 4, compared with
-- torch.signal.windows in float64.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local windows = tide.signal.windows

-- {name, options, symmetric, periodic}
local cases = {
  {"bartlett", {},
    {0, 0.5, 1, 0.5, 0},
    {0, 0.5, 1, 0.5}},
  {"blackman", {},
    {0, 0.34, 1, 0.34, 0},
    {0, 0.34, 1, 0.34}},
  {"cosine", {},
    {0.309016994375, 0.809016994375, 1, 0.809016994375, 0.309016994375},
    {0.309016994375, 0.809016994375, 1, 0.809016994375}},
  {"exponential", {},
    {0.135335283237, 0.367879441171, 1, 0.367879441171, 0.135335283237},
    {0.135335283237, 0.367879441171, 1, 0.367879441171}},
  {"exponential", {tau = 2.5},
    {0.449328964117, 0.670320046036, 1, 0.670320046036, 0.449328964117},
    {0.449328964117, 0.670320046036, 1, 0.670320046036}},
  {"gaussian", {},
    {0.135335283237, 0.606530659713, 1, 0.606530659713, 0.135335283237},
    {0.135335283237, 0.606530659713, 1, 0.606530659713}},
  {"gaussian", {std = 0.7},
    {0.0168798841488, 0.360447788598, 1, 0.360447788598, 0.0168798841488},
    {0.0168798841488, 0.360447788598, 1, 0.360447788598}},
  {"hamming", {},
    {0.08, 0.54, 1, 0.54, 0.08},
    {0.08, 0.54, 1, 0.54}},
  {"hann", {},
    {0, 0.5, 1, 0.5, 0},
    {0, 0.5, 1, 0.5}},
  {"kaiser", {},
    {5.27734413201e-05, 0.215672744759, 1, 0.215672744759, 5.27734413201e-05},
    {5.27734413201e-05, 0.215672744759, 1, 0.215672744759}},
  {"kaiser", {beta = 3.0},
    {0.204884756401, 0.726925530288, 1, 0.726925530288, 0.204884756401},
    {0.204884756401, 0.726925530288, 1, 0.726925530288}},
  {"nuttall", {},
    {0.0003628, 0.2269824, 1, 0.2269824, 0.0003628},
    {0.0003628, 0.2269824, 1, 0.2269824}},
  {"general_hamming", {alpha = 0.3},
    {-0.4, 0.3, 1, 0.3, -0.4},
    {-0.4, 0.3, 1, 0.3}},
}

describe("signal.windows", function(device)
  local function with(options, more)
    local all = {dtype = "float64", device = device}
    for key, value in pairs(options) do all[key] = value end
    for key, value in pairs(more or {}) do all[key] = value end
    return all
  end

  it("are PyTorch's", function()
    for _, case in ipairs(cases) do
      local name, options, symmetric, periodic = table.unpack(case)
      close(windows[name](5, with(options)), symmetric, {rtol = 1e-11, atol = 1e-15})
      close(windows[name](4, with(options, {sym = false})), periodic, {rtol = 1e-11, atol = 1e-15})
    end
    close(windows.general_cosine(5, {0.4, 0.3, 0.2, 0.1}, with {}), {0.2, 0.2, 1, 0.2, 0.2},
      {rtol = 1e-14})
    close(windows.exponential(4, with {center = 1, sym = false}),
      {0.367879441171, 1, 0.367879441171, 0.135335283237}, {rtol = 1e-11})
  end)
  it("can have no elements or one", function()
    for _, case in ipairs(cases) do
      if case[1] ~= "general_hamming" then
        equal(windows[case[1]](0, with(case[2])).shape, {0})
        close(windows[case[1]](1, with(case[2])), {1})
        close(windows[case[1]](1, with(case[2], {sym = false})), {1})
      end
    end
  end)
  it("accept a type, or use the default one, and can be leaves", function()
    equal(windows.hann(4, {device = device}).dtype, "float32")
    local window = windows.hann(4, {dtype = "float64", device = device, requires_grad = true})
    equal(window.dtype, "float64")
    test.is_true(window.requires_grad and window.is_leaf)
  end)
  it("reject invalid windows", function()
    raises("hann: M must be non-negative, got -1", windows.hann, -1)
    for _, dtype in ipairs {"int64", "float16", "bfloat16"} do -- as torch.signal.windows does
      raises("hann: dtype: expected float32 or float64, got " .. dtype, windows.hann, 4, {dtype = dtype})
    end
    raises("tau must be positive", windows.exponential, 4, {tau = 0})
    raises("use sym = false", windows.exponential, 4, {center = 1})
    raises("std must be positive", windows.gaussian, 4, {std = -1})
    raises("beta must be non-negative", windows.kaiser, 4, {beta = -1})
    raises("at least one weight", windows.general_cosine, 4, {})
  end)
end)
