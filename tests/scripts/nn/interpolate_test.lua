-- Resampling: bytes in integer arithmetic, antialiasing kernels, gradients. The numbers are
-- PyTorch's.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, close, raises = test.same_type, test.close, test.raises
local F = tide.nn.functional

local inf <const> = 1 / 0

--- {size, mode, align_corners, antialias, result} of bytes.
local function byte_cases()
  return {
    {{8, 4}, "bilinear", false, false,
      {{62, 127, 191, 96}, {63, 128, 192, 97}, {65, 130, 194, 99}, {67, 132, 196, 101}, {69,
        134, 198, 103}, {71, 136, 200, 105}, {73, 138, 202, 107}, {74, 139, 203, 108}}},
    {{3, 9}, "bicubic", true, false,
      {{48, 73, 104, 133, 159, 185, 239, 187, 14}, {54, 79, 110, 139, 165, 191, 245, 193, 20},
        {60, 85, 116, 145, 171, 197, 251, 199, 26}}},
    {{3, 3}, "bicubic", false, true,
      {{76, 168, 146}, {81, 173, 151}, {86, 178, 156}}},
    {{2, 4}, "bilinear", false, true,
      {{70, 128, 196, 120}, {76, 134, 202, 126}}},
    {{4, 3}, "lanczos", false, true,
      {{68, 174, 145}, {72, 178, 149}, {76, 182, 153}, {80, 186, 157}}},
    {{2, 3}, "bilinear", false, false,
      {{75, 161, 162}, {83, 169, 170}}},
    {{2, 3}, "bilinear", true, false,
      {{48, 159, 14}, {60, 171, 26}}},
    {{2, 3}, "bicubic", false, false,
      {{71, 161, 170}, {79, 169, 178}}},
    {{2, 3}, "bilinear", false, true,
      {{83, 162, 150}, {89, 168, 156}}},
    {{2, 3}, "bicubic", false, true,
      {{78, 170, 148}, {84, 176, 154}}},
    {{3, 20}, "bilinear", false, false,
      {{49, 50, 63, 76, 89, 102, 115, 128, 141, 154, 166, 179, 192, 205, 218, 231, 174, 97,
        20, 15}, {54, 55, 68, 81, 94, 107, 120, 133, 146, 159, 171, 184, 197, 210, 223, 236,
        179, 102, 25, 20}, {59, 60, 73, 86, 99, 112, 125, 138, 151, 164, 176, 189, 202, 215,
        228, 241, 184, 107, 30, 25}}},
    {{3, 20}, "bilinear", true, false,
      {{48, 60, 71, 83, 95, 106, 118, 130, 141, 153, 165, 177, 188, 200, 212, 223, 221, 152,
        83, 14}, {54, 66, 77, 89, 101, 112, 124, 136, 147, 159, 171, 183, 194, 206, 218, 229,
        227, 158, 89, 20}, {60, 72, 83, 95, 107, 118, 130, 142, 153, 165, 177, 189, 200, 212,
        224, 235, 233, 164, 95, 26}}},
    {{3, 20}, "bicubic", false, false,
      {{45, 50, 60, 73, 90, 102, 113, 129, 141, 152, 168, 179, 191, 215, 245, 242, 183, 96,
        19, 0}, {50, 55, 65, 78, 95, 107, 118, 134, 146, 157, 173, 184, 196, 220, 250, 247,
        188, 101, 24, 0}, {55, 60, 70, 83, 100, 112, 123, 139, 151, 162, 178, 189, 201, 225,
        255, 252, 193, 106, 29, 1}}},
    {{3, 20}, "bilinear", false, true,
      {{49, 50, 63, 76, 89, 102, 115, 128, 141, 154, 166, 179, 192, 205, 218, 231, 174, 97,
        20, 15}, {54, 55, 68, 81, 94, 107, 120, 133, 146, 159, 171, 184, 197, 210, 223, 236,
        179, 102, 25, 20}, {59, 60, 73, 86, 99, 112, 125, 138, 151, 164, 176, 189, 202, 215,
        228, 241, 184, 107, 30, 25}}},
    {{3, 20}, "bicubic", false, true,
      {{45, 49, 59, 74, 89, 102, 115, 128, 141, 154, 166, 179, 192, 210, 236, 239, 182, 87,
        18, 0}, {50, 54, 64, 79, 94, 107, 120, 133, 146, 159, 171, 184, 197, 215, 241, 244,
        187, 92, 23, 0}, {55, 59, 69, 84, 99, 112, 125, 138, 151, 164, 176, 189, 202, 220,
        246, 249, 192, 97, 28, 2}}},
    {{1, 1}, "bicubic", false, false,
      {{165}}},
    {{1, 1}, "bicubic", false, true,
      {{136}}},
    {{5, 2}, "bilinear", false, false,
      {{94, 224}, {97, 227}, {100, 230}, {103, 233}, {106, 236}}},
    {{5, 2}, "bilinear", true, false,
      {{48, 14}, {51, 17}, {54, 20}, {57, 23}, {60, 26}}},
    {{5, 2}, "bicubic", false, false,
      {{96, 249}, {99, 252}, {102, 255}, {105, 255}, {108, 255}}},
    {{5, 2}, "bilinear", false, true,
      {{107, 158}, {110, 161}, {113, 164}, {116, 167}, {119, 170}}},
    {{5, 2}, "bicubic", false, true,
      {{106, 159}, {109, 162}, {112, 165}, {115, 168}, {118, 171}}},
  }
end

--- {size, mode, align_corners, result, gradient} with antialias.
local function averaging_cases()
  return {
    {{2, 3}, "bilinear", false,
      {{0.226605156644, -0.027193015273, -0.156281051671}, {0.274133877369, -0.20090805233,
        0.245436270341}},
      {{0.0613979893032, 0.0658887426295, 0.0056834154447, -0.0545219117401, -0.0986548665418,
        -0.142787821343, -0.112499147341}, {0.06832917422, 0.0727392354183, 0.00397440994951,
        -0.0647904155193, -0.114455843116, -0.164121270712, -0.129054580889}, {-0.00919978206132,
        -0.0128109236485, -0.0126046099365, -0.0123982962244, -0.00853712105439, -0.00467594588434,
        -0.00242063392452}, {-0.0867287383426, -0.0983610827153, -0.0291836298224, 0.0399938230705,
        0.097381601007, 0.154769378944, 0.12421331304}, {-0.074277684189, -0.0838240357374,
        -0.0233298693558, 0.0371642970259, 0.0867028970657, 0.136241497105, 0.109110259847}}},
    {{3, 4}, "bicubic", false,
      {{0.498047079047, -0.500920528848, 0.529565141555, -0.63841831388}, {0.583481618676,
        -0.394008951886, 0.315564054574, -0.19906702684}, {0.0715530151246, 0.1162853854,
        -0.221508624522, 0.444087261102}},
      {{0.17871667915, 0.0968363635906, -0.136037559561, -0.27756099042, -0.342820860478,
        -0.291241388848, -0.185124367619}, {0.184058997922, 0.177354370924, 0.0565574062379,
        -0.0561289099198, -0.153393064167, -0.21666732385, -0.185354772837}, {0.0701578284398,
        0.18033914926, 0.307181125496, 0.312254518141, 0.231531843429, 0.0383653862524,
        -0.0629492157584}, {-0.190093023962, -0.192864701657, -0.0829769655578, 0.0292730060891,
        0.13347983134, 0.213367653025, 0.190768811663}, {-0.279921283159, -0.356980564089,
        -0.30707969273, -0.172874770796, 0.00882978562721, 0.235898260224, 0.275930348864}}},
    {{2, 9}, "bicubic", true,
      {{0.351581615925, 0.543221500845, 0.187094721741, -0.547633649867, -0.470635727947,
        0.284041711681, 0.596724319961, 0.15210162973, -0.597290430594}, {-0.814605467721,
        0.301742393927, 0.931273346478, 0.355434535153, -0.917357405596, -0.6712809095,
        0.312308617454, 1.03222565488, 0.0672958198231}},
      {{0.157220306504, -0.236165132291, -0.2775975054, 0.114458951777, 0.325686877809,
        0.0362868843904, -0.212646108391}, {0.165617883393, -0.284983208281, -0.311255736253,
        0.149433347659, 0.374764432087, 0.0243770933769, -0.253455162256}, {0.0452996810047,
        -0.206328774723, -0.151909882479, 0.143214635545, 0.214850002396, -0.0424379195898,
        -0.173759504995}, {-0.244405242314, 0.0263855825432, 0.254303443114, 0.0937007155648,
        -0.20811199313, -0.186743511005, 0.0533802404939}, {-0.581078971182, 0.308424868554,
        0.73240606583, 0.0269153950145, -0.709794673643, -0.350009448332, 0.326778254141}}},
    {{3, 2}, "lanczos", false,
      {{0.109771219399, -0.143983523895}, {0.134104208034, -0.0454769599869},
        {0.0132338851999, 0.102270453872}},
      {{0.100328798662, 0.119419985303, 0.0956210201417, 0.0380510138422, -0.0240511580203,
        -0.0607331116729, -0.0604339033115}, {0.00960348704007, -0.00551797104982, -0.0416111055807,
        -0.0886208584413, -0.125075192084, -0.131163830435, -0.102518747802}, {-0.119768510982,
        -0.166522357084, -0.185922355535, -0.175872105262, -0.144874147728, -0.10472886527,
        -0.064626030085}, {-0.0555209718629, -0.0583242504271, -0.0296687898485, 0.0211940810862,
        0.0695325755394, 0.0910123244837, 0.0777420787825}, {0.0310503504816, 0.0632454365833,
        0.10832508119, 0.154870542567, 0.182969742759, 0.175614636851, 0.131324931141}}},
  }
end

describe("interpolate", function(device)
  it("rounds bytes after each dimension", function()
    local x = ((tide.range(1, 35, {device = device}) * 37 + 11) % 256):to("uint8"):view(1, 1, 5, 7)
    for _, case in ipairs(byte_cases()) do
      local size, mode, align_corners, antialias, expected = table.unpack(case)
      local y = F.interpolate(x, {
        size = size, mode = mode, align_corners = align_corners, antialias = antialias,
      })
      equal({y.dtype, y[{1, 1}]:tolist()}, {"uint8", expected})
    end
  end)
  it("rounds the weights of bytes", function()
    local x = ((tide.range(1, 7, {device = device}) * 97 + 31) % 256):to("uint8"):view(1, 1, 1, 7)
    for _, case in ipairs {
      {3, "bilinear", {193, 163, 133}},
      {3, "bicubic", {212, 163, 142}},
      {5, "bilinear", {147, 130, 163, 43, 179}},
      {5, "bicubic", {149, 124, 163, 17, 183}},
      {9, "bilinear", {128, 193, 154, 88, 163, 39, 58, 133, 198}},
      {9, "bicubic", {122, 212, 157, 74, 163, 29, 35, 142, 204}},
      {12, "bilinear", {128, 164, 221, 139, 78, 135, 117, 24, 48, 105, 162, 198}},
      {12, "bicubic", {119, 173, 226, 137, 66, 147, 126, 15, 24, 107, 169, 207}},
      {13, "bilinear", {128, 158, 210, 164, 78, 111, 163, 77, 11, 64, 116, 168, 198}},
      {13, "bicubic", {118, 164, 225, 170, 71, 108, 163, 75, 2, 44, 122, 175, 208}},
      {17, "bilinear", {128, 139, 179, 219, 169, 103, 83, 123, 163, 98, 32, 27, 67, 107, 147,
        187, 198}},
      {17, "bicubic", {117, 139, 195, 227, 176, 93, 70, 129, 163, 102, 21, 5, 48, 109, 156,
        189, 209}},
      {20, "bilinear", {128, 130, 164, 198, 213, 157, 102, 78, 112, 146, 135, 80, 24, 26, 60,
        94, 128, 162, 196, 198}},
      {20, "bicubic", {117, 130, 173, 218, 220, 162, 91, 66, 110, 159, 146, 78, 15, 5, 38, 90,
        136, 169, 196, 209}},
    } do
      local size, mode, expected = table.unpack(case)
      equal(F.interpolate(x, {size = {1, size}, mode = mode}):view(-1):tolist(), expected)
    end
  end)
  it("uses as many bits for the weights as the largest one allows", function()
    -- {from, to, mode, antialias, positions, bytes there}: values that change if weights are truncated, have a bit more
    -- or less, or if the weights of pixels beyond the edge are rounded separately.
    for _, case in ipairs {
      {2, 97, "bilinear", false, {28, 29, 30}, {135, 137, 139}},
      {3, 53, "bilinear", false, {26}, {220}},
      {2, 97, "bicubic", false, {80}, {233}},
      {40001, 40000, "bilinear", false, {881, 1444}, {236, 70}},
      {608, 3, "bilinear", true, {1, 2, 3}, {127, 127, 128}},
      {1375, 1, "bilinear", true, {1}, {128}},
    } do
      local from, to, mode, antialias, positions, expected = table.unpack(case)
      local x = ((tide.range(1, from, {device = device}) * 97 + 31) % 256):to("uint8")
      local y = F.interpolate(x:view(1, 1, 1, -1), {
        size = {1, to}, mode = mode, antialias = antialias,
      })
      y = y:view(-1)
      for i, position in ipairs(positions) do equal(y[position]:item(), expected[i]) end
    end
  end)
  it("averages the area that a pixel of a smaller result covers", function()
    local options = {dtype = "float64", device = device}
    for _, case in ipairs(averaging_cases()) do
      local size, mode, align_corners, expected, gradient = table.unpack(case)
      local x = (tide.range(1, 35, options) * 1.7):sin():view(1, 1, 5, 7):requires_grad_()
      local y = F.interpolate(x, {
        size = size, mode = mode, align_corners = align_corners, antialias = true,
      })
      close(y[{1, 1}], tide.tensor(expected, options), {rtol = 1e-10, atol = 1e-11})
      local weights = tide.range(1, y:numel(), options):cos():view_as(y);
      (y * weights):sum():backward()
      close(x.grad[{1, 1}], tide.tensor(gradient, options), {rtol = 1e-10, atol = 1e-11})
    end
  end)
  it("has second gradients, for few and for many windows", function()
    for _, size in ipairs {{2, 3}, {7, 80}} do
      local x = tide.rand({1, 1, 3, 4}, {dtype = "float64", device = device, requires_grad = true})
      for _, options in ipairs {
        {size = size, mode = "bilinear", antialias = true}, {size = size, mode = "bicubic"},
      } do
        test.is_true(tide.autograd.gradgradcheck(function(x)
          return F.interpolate(x, options):square():mean()
        end, {x}))
      end
    end
  end)
  it("limits an infinity to the results whose kernel covers it", function()
    local x = tide.ones({1, 1, 1, 12}, {device = device})
    x[{1, 1, 1, 1}] = inf
    local y = F.interpolate(x, {size = {1, 5}, mode = "bilinear", antialias = true})
    equal(y:isfinite():view(-1):tolist(), {false, true, true, true, true})
    equal(y:isinf():any():item(), true)
  end)
  it("reports options that exclude antialias", function()
    local x = tide.ones({1, 1, 4, 4}, {device = device})
    raises("antialias goes with bilinear, bicubic and lanczos, got nearest", F.interpolate, x,
      {size = 2, antialias = true})
    raises("lanczos without antialias", F.interpolate, x, {size = 2, mode = "lanczos"})
  end)
  it("is also called upsample", function()
    local x = tide.tensor({{{1.0, 3}}}, {device = device})
    test.same_type(F.upsample(x, {scale_factor = 2}):tolist(), {{{1.0, 1.0, 3.0, 3.0}}})
    test.close(F.upsample(x, {size = 3, mode = "linear", align_corners = true}), {{{1, 2, 3}}})
    test.same_type(F.upsample_nearest(x, 4):tolist(), {{{1.0, 1.0, 3.0, 3.0}}})
    local image = tide.tensor {{{{1.0, 3}, {5, 7}}}}
    test.close(F.upsample_bilinear(image, {scale_factor = 1.5}),
      {{{{1, 2, 3}, {3, 4, 5}, {5, 6, 7}}}})
    test.close(F.upsample_bilinear(image, {size = {1, 3}}), {{{{1, 2, 3}}}})
  end)
  it("computes the same bits with and without a grad function", function()
    tide.manual_seed(6)
    for _, case in ipairs {{{2, 3, 9}, 4, "linear"}, {{2, 5, 9, 8}, {4, 3}, "bilinear"},
        {{1, 17, 6, 7}, {13, 20}, "bilinear"}, {{2, 2, 9, 30}, {5, 7}, "bicubic"},
        {{1, 2, 5, 4, 9}, {3, 9, 4}, "trilinear"}, {{1, 1, 1, 1}, {3, 2}, "bilinear"}} do
      for _, dtype in ipairs {"float32", "float64"} do
        local x = tide.randn(case[1], {device = device}):to(dtype)
        local options = {size = case[2], mode = case[3]}
        local plain = F.interpolate(x, options)
        local with = F.interpolate(x:clone():requires_grad_(), options)
        test.is_true(tide.equal(plain, with:detach()), case[3] .. " " .. dtype)
      end
    end
  end)
end)
