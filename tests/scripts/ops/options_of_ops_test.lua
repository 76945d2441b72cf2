-- Options of ops that other tests do not cover: weights of covariances, modes of padding and resampling,
-- and positions in numerical integration.
local tide = require "tide"
local test = require "tide.test"
local describe, it, close = test.describe, test.it, test.close

-- {call, values}: PyTorch's, float64, of x = sin(1.7 i) as (3, 4).
local cases = {
  {"tide.cov(x, {correction = 1, fweights = counts, aweights = weights})",
    {0.9660274863731, 0.7365211331487, 0.314631763125, 0.7365211331487, 0.6357864779779,
      0.3689812035561, 0.314631763125, 0.3689812035561, 0.3269509015908}},
  {"tide.cov(x, {correction = 0, aweights = weights})[1]",
    {0.6719962671082, 0.5110081672914, 0.2165421692746}},
  {"tide.cov(x[1], {aweights = weights})", {1.0951939162751}},
  {"F.interpolate(line, {size = {5}, mode = 'area'})",
    {0.2453745694752, -0.229080811072, -0.006352834017119, 0.21258842525, -0.2378853148547}},
  {"F.interpolate(line, {scale_factor = 0.7, mode = 'linear'})",
    {0.2124996022398, 0.1898895810015, -0.8243912513659, 0.646300231881, -0.5928488447209,
      -0.09053035256077, 0.4958308392147, -0.7873121062941}},
  {"F.interpolate(line, {scale_factor = 0.7, mode = 'linear', recompute_scale_factor = true})",
    {0.2479162026131, 0.05626037609299, -0.5708326739612, 0.7223936722523, -0.6794402937544,
      0.4898370830831, 0.05720605687807, -0.3520986423305}},
  {"F.pad(x[{{1, 1}}], {1, 3}, 'reflect')",
    {0.9916648104525, 0, 0.9916648104525, -0.2555411020268, -0.9258146823277, -0.2555411020268,
      0.9916648104525, 0}},
  {"F.pad(x[{{1, 1}}], {2, 3}, 'circular')",
    {-0.2555411020268, -0.9258146823277, 0, 0.9916648104525, -0.2555411020268, -0.9258146823277, 0,
      0.9916648104525, -0.2555411020268}},
  {"F.pad(x[{{1, 1}}], {2, 3}, 'replicate')",
    {0, 0, 0, 0.9916648104525, -0.2555411020268, -0.9258146823277, -0.9258146823277,
      -0.9258146823277, -0.9258146823277}},
  {"tide.trapezoid(x, x:cumsum(2), {dim = 2})",
    {0.9445028814094, 0.8889102398831, 0.6032875890338}},
  {"tide.trapezoid(x, places, {dim = 2})", {0.3459392753859, -0.2435961929619, -0.7695031130257}},
}

describe("options of ops", function(device)
  for _, case in ipairs(cases) do
    local call, expected = table.unpack(case)
    it(call, function()
      local place = {dtype = "float64", device = device}
      local wave = (tide.arange(12, place) * 1.7):sin()
      local given = {
        tide = tide, F = tide.nn.functional, x = wave:reshape(3, 4), line = wave:reshape(1, 1, 12),
        counts = tide.tensor({1, 2, 3, 1}, {device = device}),
        weights = tide.tensor({0.5, 1, 0.2, 2}, place), places = tide.tensor({0, 1, 3, 4.5}, place),
      }
      local got = load("return " .. call, "=call", "t", given)()
      close(got:reshape(-1), tide.tensor(expected, place), {rtol = 1e-11, atol = 1e-12})
    end)
  end
end)
