-- grid_sample, affine_grid and resampling modes. Values are PyTorch's.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local F = tide.nn.functional
local tight = {rtol = 1e-12, atol = 1e-13}

--- fn(1 * by), fn(2 * by), ... in a shape.
local function waves(fn, by, device, ...)
  local count = 1
  for _, size in ipairs {...} do count = count * size end
  local iota = tide.range(1, count, 1, {dtype = "float64", device = device}) * by
  return iota[fn](iota):reshape(...)
end

-- Mode, padding, align_corners, and the results for the inputs below.
local planes = {
  rows = {
    {"bilinear", "zeros", false, {0.146727242952468, 0.00508990786123877, 0.0, 0.0,
    0.0553789274971988, 0.0, -0.181375928309546, 0.384267287644957, 0.0, 0.0,
    -0.0575152974528916, 0.0}},
    {"bilinear", "zeros", true, {0.664769884260861, -0.106985456942673, -0.233129695189431,
    0.219548215641046, 0.637141051871029, 0.587440789956495, -0.708985954361027,
    0.333692520546827, 0.38122270939708, 0.0601275547472549, -0.595897152513142,
    -0.272675479046433}},
    {"bilinear", "border", false, {0.731684016229092, 0.0108900763408373, -0.462908586965428,
    0.644217687237691, 0.854598908088281, 0.979816945655557, -0.904466444011351,
    0.822156355640116, 0.777798208661724, 0.319098362349352, -0.887567033581503,
    -0.390127934915836}},
    {"bilinear", "border", true, {0.830593005895659, -0.109667691669315, -0.519027937267726,
    0.430668561470255, 0.873304983463153, 0.965945096321335, -0.885838526853975,
    0.342058533014399, 0.848734591006106, 0.117946973206386, -0.816773540792926,
    -0.448367812339826}},
    {"bilinear", "reflection", false, {0.731684016229092, 0.0108900763408373, -0.532365391558268,
    0.696637919472615, 0.854598908088281, 0.816866182565769, -0.904466444011351,
    0.822156355640116, 0.724488593248491, 0.213779614921449, -0.887567033581503,
    -0.350361920426666}},
    {"bilinear", "reflection", true, {0.472958124341453, -0.103780404812758, -0.692303092508486,
    0.507251264385548, 0.453130180768189, 0.238982597689656, -0.571352593909151,
    0.338838237313373, 0.706287114979502, -0.0774309865333409, -0.340170154123651,
    -0.219738876740774}},
    {"nearest", "zeros", false, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}},
    {"nearest", "zeros", true, {0.863209366648874, 0.0168139004843497, 0.0, 0.644217687237691,
    0.854598908088281, 0.98544972998846, -0.87969575997167, 0.845746831142934, 0.0,
    0.319098362349352, -0.887567033581503, -0.366479129251927}},
    {"nearest", "border", false, {0.863209366648874, 0.0168139004843497, -0.631266637872322,
    0.644217687237691, 0.854598908088281, 0.98544972998846, -0.87969575997167, 0.845746831142934,
    0.99060735569487, 0.319098362349352, -0.887567033581503, -0.366479129251927}},
    {"nearest", "border", true, {0.863209366648874, 0.0168139004843497, -0.631266637872322,
    0.644217687237691, 0.854598908088281, 0.98544972998846, -0.87969575997167, 0.845746831142934,
    0.99060735569487, 0.319098362349352, -0.887567033581503, -0.366479129251927}},
    {"nearest", "reflection", false, {0.863209366648874, 0.0168139004843497, -0.631266637872322,
    0.644217687237691, 0.854598908088281, 0.98544972998846, -0.87969575997167, 0.845746831142934,
    0.99060735569487, 0.319098362349352, -0.887567033581503, -0.366479129251927}},
    {"nearest", "reflection", true, {0.863209366648874, 0.0168139004843497, -0.982452612624333,
    0.644217687237691, 0.854598908088281, 0.98544972998846, -0.87969575997167, 0.845746831142934,
    0.669569762196601, 0.319098362349352, -0.887567033581503, -0.366479129251927}},
    {"bicubic", "zeros", false, {0.171649025472937, -0.049556583794548, 0.05657891220479,
    -0.0523648744386386, 0.0514159991767588, -0.0543737435932718, -0.219050418743858,
    0.434636650975751, -0.0966946802307284, -0.0292468881986285, -0.0612212172735705,
    0.0222638285346881}},
    {"bicubic", "zeros", true, {0.859954251715642, -0.161213345497051, -0.228518222106889,
    0.242757297923704, 0.887493006745774, 0.835929838513194, -0.90419117470097,
    0.401839606068785, 0.453001531888788, 0.112246189839876, -0.890768901989743,
    -0.378296337311286}},
    {"bicubic", "border", false, {0.770897206218003, -0.0424953237517913, -0.55633044040265,
    0.733989694953903, 0.848460595114589, 0.992569973321486, -0.99874854198175,
    0.873641430317255, 0.945889882998187, 0.403658596409663, -0.955490524444836,
    -0.406416888636743}},
    {"bicubic", "border", true, {1.00515909847263, -0.164831418770006, -0.557466480234283,
    0.430728081885583, 1.04180627187129, 1.21718698628266, -1.06056746716862, 0.314536265648893,
    0.996214267128259, 0.138828328183696, -1.03040064288402, -0.565127212080783}},
    {"bicubic", "reflection", false, {0.92913638963424, -0.104719900426434, -0.6352506553128,
    0.812429812747545, 0.923268514275968, 0.849884872333686, -1.16842772118404,
    0.926116374793494, 0.907278641357283, 0.32242966613875, -1.09805388933802,
    -0.37297071152065}},
    {"bicubic", "reflection", true, {0.640422820706296, -0.119988861502757, -0.762011660012093,
    0.64655802691095, 0.612835640680651, 0.362369912537198, -0.749294524553734,
    0.475629628447116, 0.89004780813365, 0.01909220161333, -0.536700371734086,
    -0.313757609357108}},
  },
  input = {1, 2, 3, 4}, grid = {1, 2, 3, 2},
}
local volumes = {
  rows = {
    {"bilinear", "zeros", false, {0.0709712006371158, 0.0, 0.0, 0.0}},
    {"bilinear", "zeros", true, {0.659350272700248, 0.0568752298173585, 0.0675697197837302,
    -0.196883063136597}},
    {"bilinear", "border", false, {0.731684016229092, -0.0826759243464476, 0.319098362349352,
    -0.302314551871985}},
    {"bilinear", "border", true, {0.830593005895659, 0.0898819026250175, 0.132545618433926,
    -0.411965247205431}},
    {"bilinear", "reflection", false, {0.731684016229092, -0.0663049991927705, 0.213779614921449,
    -0.304430645803148}},
    {"bilinear", "reflection", true, {0.46444426326636, 0.0818617722773644, -0.0501365205535824,
    -0.292131748471928}},
    {"nearest", "zeros", false, {0.0, 0.0, 0.0, 0.0}},
    {"nearest", "zeros", true, {0.863209366648874, -0.382071417184006, 0.319098362349352,
    -0.631266637872322}},
    {"nearest", "border", false, {0.863209366648874, -0.887567033581503, 0.319098362349352,
    -0.631266637872322}},
    {"nearest", "border", true, {0.863209366648874, -0.382071417184006, 0.319098362349352,
    -0.631266637872322}},
    {"nearest", "reflection", false, {0.863209366648874, -0.887567033581503, 0.319098362349352,
    -0.631266637872322}},
    {"nearest", "reflection", true, {0.863209366648874, -0.382071417184006, 0.319098362349352,
    -0.631266637872322}},
  },
  input = {1, 1, 2, 3, 4}, grid = {1, 1, 2, 2, 3},
}

describe("grid_sample", function(device)
  for kind, cases in pairs {planes = planes, volumes = volumes} do
    local x = waves("sin", 0.7, device, table.unpack(cases.input))
    local grid = waves("cos", 1.3, device, table.unpack(cases.grid)) * 1.4
    for _, row in ipairs(cases.rows) do
      local mode, padding, corners = row[1], row[2], row[3]
      it(("%s of %s, %s, align_corners %s"):format(mode, kind, padding, corners), function()
        close(F.grid_sample(x, grid, mode, padding, corners):flatten(), row[4], tight)
        check_gradient(function(a, b) return F.grid_sample(a, b, mode, padding, corners) end, x, grid)
      end)
    end
  end
  it("has second gradients", function()
    local x = waves("sin", 0.7, device, 1, 1, 3, 4)
    local grid = waves("cos", 1.3, device, 1, 2, 2, 2)
    x:requires_grad_() grid:requires_grad_()
    for _, how in ipairs {{"bilinear", "zeros"}, {"bilinear", "reflection"}, {"bicubic", "border"}} do
      test.is_true(tide.autograd.gradgradcheck(function(a, b)
        return F.grid_sample(a, b, how[1], how[2])
      end, {x, grid}))
    end
  end)
  it("has the same gradients with and without a grad function", function()
    for _, cases in pairs {planes = planes, volumes = volumes} do
      local x = waves("sin", 0.7, device, table.unpack(cases.input)):requires_grad_()
      local grid = (waves("cos", 1.3, device, table.unpack(cases.grid)) * 2.4):requires_grad_()
      for _, row in ipairs(cases.rows) do
        local y = F.grid_sample(x, grid, row[1], row[2], row[3])
        local dy = waves("cos", 0.3, device, table.unpack(y.shape))
        local plain = {tide.grad(y, {x, grid}, {grad_outputs = dy, retain_graph = true})}
        local with = {tide.grad(y, {x, grid}, {grad_outputs = dy, create_graph = true})}
        for i = 1, 2 do close(plain[i], with[i]:detach(), tight) end
      end
    end
  end)
  it("calls a hook of the grid once, also for second gradients", function()
    local calls = 0
    local grid = waves("cos", 1.3, device, 1, 2, 2, 2):requires_grad_()
    grid:register_hook(function() calls = calls + 1 end)
    local y = F.grid_sample(waves("sin", 0.7, device, 1, 1, 3, 4), grid)
    tide.grad(y:sum(), {grid}, {create_graph = true})
    equal(calls, 1)
  end)
  it("ignores infinite values outside the image, and keeps a nan inside", function()
    local x = tide.full({1, 1, 2, 2}, math.huge, {device = device})
    local grid = tide.tensor({{{{5.0, 5.0}}}}, {device = device})
    close(F.grid_sample(x, grid), {{{{0}}}})
    x = tide.ones({1, 1, 2, 2}, {device = device})
    equal(F.grid_sample(x, grid * math.huge, {mode = "nearest"}):item(), 0.0)
    equal(F.grid_sample(x, grid * (0 / 0), {padding_mode = "border"}):item(), 1.0)
  end)
  it("computes half types in float32", function()
    local x = waves("sin", 0.7, device, 1, 2, 3, 4)
    local grid = waves("cos", 1.3, device, 1, 2, 3, 2)
    for _, dtype in ipairs {"float16", "bfloat16"} do
      local y = F.grid_sample(x:to(dtype), grid:to(dtype))
      equal(y.dtype, dtype)
      close(y:to("float64"), F.grid_sample(x, grid), {atol = 0.05})
    end
  end)
  it("reports wrong shapes", function()
    local x = tide.ones({1, 2, 3, 4}, {device = device})
    raises("a grid of shape (2, 1, 1, 2) does not fit an input of (1, 2, 3, 4)", F.grid_sample, x,
      tide.zeros({2, 1, 1, 2}, {device = device}))
    raises("expected 4 or 5 dimensions", F.grid_sample, x[1], x)
    raises('mode must be "bilinear", "nearest" or "bicubic", got "cubic"', F.grid_sample, x,
      tide.zeros({1, 1, 1, 2}, {device = device}), "cubic")
    raises("grid_sample: the types differ: float32 and float64", F.grid_sample, x,
      tide.zeros({1, 1, 1, 2}, {dtype = "float64", device = device}))
  end)
end)

describe("affine_grid", function(device)
  it("maps the centers or the corners of pixels", function()
    local iota = tide.arange(12, {dtype = "float64", device = device})
    local theta = (iota * 0.9):sin()
    close(F.affine_grid(theta[{{1, 6}}]:reshape(1, 2, 3), {1, 1, 2, 3}):flatten(), {
      0.582184176064453, -1.04118981617356, 0.582184176064453, -0.756269896017671,
      0.582184176064453, -0.471349975861784, 1.36551108569194, -1.48371025946841,
      1.36551108569194, -1.19879033931252, 1.36551108569194, -0.913870419156637
    }, tight)
    close(F.affine_grid(theta[{{1, 6}}]:reshape(1, 2, 3), {1, 1, 2, 3}, true):flatten(), {
      0.190520721250712, -0.962389554604074, 0.190520721250712, -0.535009674370245,
      0.190520721250712, -0.107629794136415, 1.75717454050568, -1.84743044119378,
      1.75717454050568, -1.42005056095995, 1.75717454050568, -0.99267068072612
    }, tight)
    close(F.affine_grid(theta:reshape(1, 3, 4), {1, 1, 2, 1, 2}):flatten(), {
      -0.0595439352052678, 0.624456365909769, -1.06042906832078, -0.0595439352052678,
      0.181935922614917, -0.266761204471623, 0.914303695672927, -0.148308121646218,
      -0.64831058307902, 0.914303695672927, -0.59082856494107, 0.145357280770134
    }, tight)
    check_gradient(function(t) return F.affine_grid(t, {2, 1, 2, 3}) end,
      theta:reshape(2, 2, 3))
    raises("theta of shape (1, 2, 3) does not fit a size of (2, 1, 2, 3)", F.affine_grid,
      theta[{{1, 6}}]:reshape(1, 2, 3), {2, 1, 2, 3})
  end)
  it("and grid_sample reproduce the image", function()
    local x = waves("sin", 0.7, device, 1, 2, 3, 4)
    local theta = tide.tensor({{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}},
      {dtype = "float64", device = device})
    for _, corners in ipairs {true, false} do
      local grid = F.affine_grid(theta, x.shape, corners)
      close(F.grid_sample(x, grid, {align_corners = corners}), x, tight)
    end
  end)
end)

describe("interpolate", function(device)
  it("is bicubic between pixels", function()
    local x = waves("sin", 0.7, device, 1, 1, 3, 4)
    close(F.interpolate(x, {size = {5, 3}, mode = "bicubic"}):flatten(), {
      0.802728843257974, 1.19924267650166, 0.513533245369472, 0.223263072302392,
      0.0870956294734052, -0.127668846540341, -0.423601657021346, -1.00876217871983,
      -0.68359327383576, -0.181919496389074, 0.0113596882126774, 0.194387637513432,
      0.153488937869309, 1.07788801038798, 1.02957696835622
    }, tight)
    close(F.interpolate(x, {size = {4, 6}, mode = "bicubic", align_corners = true}):flatten(), {
      0.644217687237691, 0.866253656641837, 1.0093710113406, 0.943622476405985,
      0.645057575408927, 0.334988150155905, -0.0783863242688706, -0.292307834074076,
      -0.524989691748334, -0.612968894886964, -0.58829397252739, -0.492171487488688,
      -0.34561386307122, -0.502468920611247, -0.62271166666767, -0.606816569637338,
      -0.448993460246647, -0.270855794295268, 0.0168139004843497, 0.37283197520674,
      0.779936809356069, 0.958067066122498, 0.972110952068064, 0.854598908088281
    }, tight)
    close(F.interpolate(x, {scale_factor = 1.5, mode = "bicubic"}):flatten(), {
      0.694472925862539, 0.950172088071822, 1.17557671386312, 1.10081072794647,
      0.709591246332132, 0.366385384681919, 0.129496382906506, 0.0277572762358452,
      -0.125535506137195, -0.221400578369296, -0.280715881554716, -0.291178011313263,
      -0.347158164621765, -0.594543975958955, -0.863518998552158, -0.891699920023131,
      -0.685224112459056, -0.470821473815902, -0.0930253139343126, 0.150957136507802,
      0.484477161837203, 0.647042879218381, 0.674058606328301, 0.620344353327358
    }, tight)
    check_gradient(function(v) return F.interpolate(v, {size = {5, 3}, mode = "bicubic"}) end, x)
  end)
  it("averages areas", function()
    local x = waves("sin", 0.7, device, 1, 1, 3, 4)
    close(F.interpolate(x, {size = {2, 3}, mode = "area"}):flatten(), {
      0.101827104280736, -0.00134232210014654, -0.103880433422969, -0.137139625225017,
      -0.0522183881105327, 0.0572619728671569
    }, tight)
    raises("mode bicubic does not fit 1 dimensions", F.interpolate, x[1],
      {size = 3, mode = "bicubic"})
  end)
  it("computes the same bits for each channel as for the channel alone", function()
    tide.manual_seed(3)
    local grid = tide.rand(2, 9, 11, 2, {device = device}) * 2.4 - 1.2
    grid[{1, 2, 3, 1}] = 0 / 0
    for _, dtype in ipairs {"float32", "float64", "bfloat16"} do
      for _, channels in ipairs {3, 4, 5, 8, 13, 16} do
        local x = tide.randn(2, channels, 7, 10, {device = device}):to(dtype)
        x[{1, 1, 2, 2}] = 1 / 0
        for _, mode in ipairs {"nearest", "bilinear", "bicubic"} do
          local options = {mode = mode, align_corners = false}
          local together = F.grid_sample(x, grid:to(dtype), options)
          for c = 1, channels do
            local alone = F.grid_sample(x:narrow(2, c, 1), grid:to(dtype), options)
            test.is_true(tide.equal(together:narrow(2, c, 1):nan_to_num(7), alone:nan_to_num(7)),
              ("%s, %s, channel %d of %d"):format(dtype, mode, c, channels))
          end
        end
      end
    end
  end)
end)
