-- Functions related to the gamma function, the normal distribution and Bessel functions: values of PyTorch or,
-- where these have only half the digits (trigamma), of arithmetic with 40 digits; gradients compared with
-- finite differences.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local special, nan, inf = tide.special, 0 / 0, math.huge
local tight = {rtol = 1e-12, atol = 1e-300}

describe("airy_ai", function(device)
  it("has 12 digits, also where it approaches 0", function()
    local x = tide.tensor({-30.5, -7, -3.5, -1, 0, 1, 4, 30}, {dtype = "float64", device = device})
    -- 16 digits of mpmath's airyai
    close(special.airy_ai(x), {-0.004333637288742865, 0.1842808352505056, -0.3755338231404319,
      0.5355608832923521, 0.3550280538878172, 0.1352924163128814, 0.0009515638512048018,
      3.208217591550495e-49}, {rtol = 2e-12, atol = 0})
    equal(special.airy_ai(x:float()).dtype, "float32")
    equal(special.airy_ai(tide.tensor({0, 1}, {device = device})).dtype, "float32")
    close(special.airy_ai(tide.tensor({-1 / 0, 1 / 0, 0 / 0}, {device = device})), {0, 0, 0 / 0})
  end)
end)

describe("special functions", function(device)
  local function numbers(values)
    return tide.tensor(values, {dtype = "float64", device = device})
  end

  it("Bessel's i0, i1 and their scaled forms", function()
    local x = numbers {-20, -3.5, -0.2, 0, 0.7, 4, 14.9, 15.1, 60, 700}
    close(special.i0e(x), {
      0.089780311884826, 0.222802438010779, 0.826938551634329, 1.0, 0.559305526507068,
      0.207001921223987, 0.104253872824291, 0.10354878120577, 0.0516115491736098,
      0.0150812956515314
    }, tight)
    close(special.i1e(x), {
      -0.0875062221832887, -0.18739997660305, -0.0822831235288121, 0.0, 0.184669982762747,
      0.178750839502435, 0.100692298811771, 0.100059032262435, 0.0511796301890287,
      0.0150705194447168
    }, tight)
    x = numbers {-3.5, -0.2, 0.7, 4, 20}
    close(tide.i0(x), {
      7.37820343222548, 1.01002502779515, 1.12630301830681, 11.3019219521363, 43558282.5595535
    }, tight)
    close(special.i1(x), {
      -6.20583492225836, -0.100500834028125, 0.371879677777009, 9.75946515370445,
      42454973.3851278
    }, tight)
    equal(special.i0(numbers {800}):item(), inf)
    test.is_true(special.i0e(numbers {nan}):isnan():item())
    equal(special.i0(tide.tensor({1}, {device = device})).dtype, "float32")
    for _, name in ipairs {"i0", "i0e", "i1", "i1e"} do check_gradient(special[name], x / 4) end
  end)
  it("Bessel's functions of both kinds, and the modified ones", function()
    local waves = {rtol = 1e-11, atol = 1e-14} -- near a zero the tolerance is absolute
    local x = numbers {
      1.0e-8, 0.3, 1.0, 2.0, 2.404825557695773, 5.0, 7.99, 8.01, 15.0, 33.3, 120.0, 100000.0
    }
    close(special.bessel_j0(x), {
      1.0, 0.9776262465382961, 0.7651976865579666, 0.2238907791412357,
      -6.10876525973673e-17, -0.1775967713143383, 0.1739900131279326, 0.169297369110543,
      -0.01422447282678077, 0.06333848594752125, 0.07182341582915613, -0.001719201116235972
    }, waves)
    close(special.bessel_j1(x), {
      5.0e-9, 0.148318816273104, 0.4400505857449335, 0.5767248077568734, 0.5191474972894668,
      -0.3275791375914652, 0.2332007142535018, 0.236047103630834, 0.2051040386135228,
      0.1238621479014801, -0.01180521143300189, 0.001846757562882568
    }, waves)
    close(special.bessel_y0(x), {
      -11.80077387717953, -0.8072735778045195, 0.08825696421567696, 0.5103756726497451,
      0.5099243834484791, -0.3085176252490338, 0.2219287417857645, 0.2250899092935791,
      0.2054642960389183, 0.1228974991350373, -0.0121043654100162, 0.001846766158865064
    }, waves)
    close(special.bessel_y1(x), {
      -63661977.23675819, -2.293105138388529, -0.7812128213002887, -0.1070324315409375,
      0.1027466824382596, 0.1478631433912268, -0.1604869514116646, -0.1556214540380983,
      0.02107362803687351, -0.06150072280778574, -0.07187447320914953, 0.001719210350088256
    }, waves)
    close(special.modified_bessel_k0(x), {
      18.53661225961078, 1.372460060544297, 0.4210244382407083, 0.1138938727495334,
      0.06981454355886927, 0.003691098334042594, 0.0001480327217702678,
      0.0001449252780226997, 9.819536482396435e-8, 7.468357277917753e-16,
      8.763568099825578e-54, 0.0
    }, tight)
    close(special.modified_bessel_k1(x), {
      99999999.9999999, 3.055992033457325, 0.6019072301972346, 0.1398658818165224,
      0.08321930960217391, 0.004044613445452164, 0.0001570370894612197,
      0.0001537191876603357, 1.014172936976209e-7, 7.57967706554013e-16,
      8.800007520092761e-54, 0.0
    }, tight)
    close(special.scaled_modified_bessel_k0(x), {
      18.5366124449769, 1.852627300772014, 1.144463079806895, 0.8415682150707714,
      0.77330064538666, 0.547807564313519, 0.4368885216647203, 0.4363579996877837,
      0.3210023535057762, 0.2163870834301716, 0.1142927794229294, 0.003963322343474756
    }, tight)
    close(special.scaled_modified_bessel_k1(x), {
      100000000.9999999, 4.12515776224447, 1.636153486263258, 1.033476847068689,
      0.9217785083666547, 0.6002738587883126, 0.4634630846531018, 0.4628357327048831,
      0.3315348949666291, 0.2196124465555935, 0.1147680153742515, 0.003963342160036932
    }, tight)
    equal(special.bessel_j0(-x):tolist(), special.bessel_j0(x):tolist())
    equal(special.bessel_j1(-x):tolist(), (-special.bessel_j1(x)):tolist())
    local ends = numbers {0, inf, -1}
    equal(special.bessel_j1(ends[1]):item(), 0.0)
    for _, name in ipairs {"bessel_y0", "bessel_y1"} do
      equal({special[name](ends[1]):item(), special[name](ends[3]):isnan():item()}, {-inf, true})
    end
    for _, name in ipairs {"modified_bessel_k0", "modified_bessel_k1",
      "scaled_modified_bessel_k0", "scaled_modified_bessel_k1"} do
      local y = special[name](ends)
      equal({y[1]:item(), y[2]:item(), y[3]:isnan():item()}, {inf, 0.0, true})
      check_gradient(special[name], numbers {0.3, 1, 1.9, 2.1, 7})
    end
    for _, name in ipairs {"bessel_j0", "bessel_j1"} do
      check_gradient(special[name], numbers {-9, -2, 0, 0.3, 7.9, 8.1, 20})
    end
    for _, name in ipairs {"bessel_y0", "bessel_y1"} do
      check_gradient(special[name], numbers {0.3, 1, 7.9, 8.1, 20})
    end
    equal(special.spherical_bessel_j0(numbers {inf, -inf, nan}):tolist(), {0.0, 0.0, nan})
    close(special.spherical_bessel_j0(numbers {0, 1, -20}), {
      1.0, 0.841470984807897, 0.0456472625363814
    }, {rtol = 1e-12})
  end)
  it("erfcx neither overflows nor underflows", function()
    close(special.erfcx(numbers {-5, -0.3, 0, 0.5, 3, 27.5, 30, 1e6}), {
      144009798674.661, 1.45374923284277, 1.0, 0.615690344192926, 0.17900115118139,
      0.0205024473846148, 0.0187958888614168, 5.64189583547474e-07
    }, tight)
    equal(special.erfcx(numbers {-30}):item(), inf)
    check_gradient(special.erfcx, numbers {-1, -0.3, 0.5, 3, 9})
  end)
  it("the normal distribution, its logarithm and its inverse", function()
    local x = numbers {-40, -5, -1, -0.5, 0, 2, 10}
    close(special.log_ndtr(x), {
      -804.608442013754, -15.0649983939887, -1.84102164500926, -1.17591176159362,
      -0.693147180559945, -0.0230129093289635, -7.6198530241605e-24
    }, tight)
    close(special.ndtr(x), {
      0.0, 2.866515718791939e-07, 0.158655253931457, 0.308537538725987, 0.5, 0.977249868051821,
      1.0
    }, {rtol = 1e-12, atol = 1e-80})
    close(special.ndtri(numbers {0, 1e-300, 1e-20, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-9, 1, 2}), {
      -inf, -37.0470962993612, -9.26234008979841, -3.09023230616781, -0.524400512708041, 0.0,
      1.2815515655446, 5.99780701960164, inf, nan
    }, {rtol = 1e-12})
    check_gradient(special.log_ndtr, numbers {-5, -1.3, 0.4, 2})
    check_gradient(special.ndtri, numbers {0.1, 0.5, 0.8})
    close(special.ndtri(tide.tensor({0.975}, {device = device})), {1.959964}, {rtol = 1e-6})
  end)
  it("polygamma of any order, also below 0", function()
    local x = numbers {-2.3, -0.4, 0.1, 0.5, 1, 3.7, 25}
    close(x:trigamma(), {14.7259121609613, 9.88620967090235, 101.433299150793, 4.93480220054468,
      1.64493406684823, 0.310037857670038, 0.0408106632572256}, {rtol = 1e-12})
    close(tide.polygamma(2, x), {
      68.7137925292703, 21.2871684628565, -2001.86145737834, -16.8287966442343,
      -2.40411380631919, -0.095395308728554, -0.00166527931842247
    }, {rtol = 1e-10})
    close(x:polygamma(3), {
      768.935064666143, 281.782041045346, 60004.5128767902, 97.4090910340024, 6.49393940226683,
      0.0582792179565636, 0.000135884636508274
    }, {rtol = 1e-10})
    close(special.polygamma(5, x), {
      165660.053611653, 31876.5069077684, 120000069.307511, 7691.11354860243, 122.081167438134,
      0.0639397539020398, 2.71317577000383e-06
    }, {rtol = 1e-10})
    test.identical(tide.polygamma(0, x), x:digamma())
    for n = 0, 3 do
      check_gradient(function(v) return tide.polygamma(n, v) end, numbers {-1.4, 0.5, 2, 7})
    end
    check_gradient(function(v)
      local w = v:clone():requires_grad_()
      return tide.autograd.grad(w:lgamma():sum(), {w}, {create_graph = true})[1]
    end, numbers {0.5, 2})
    raises("n must be between 0 and 100, got -1", tide.polygamma, -1, x)
  end)
  it("zeta sums powers", function()
    local powers = numbers {1.5, 2, 3, 10, 40, 1, 0.5, 3}
    close(special.zeta(powers, numbers {0.3, 1, 7.5, 2, 20, 2, 2, -1.5}), {
      8.23776167145972, 1.64493406684823, 0.0101526262683223, 0.000994575127818086,
      1.06294725274086e-52, inf, nan, 0.118102025820864
    }, {rtol = 1e-12})
    equal(special.zeta(numbers {3}, numbers {-2}):item(), inf)
    close(special.zeta(numbers {3, 2, 3, 4, 7, 2, 5, 2.5, 3, 1001}, numbers {
      -6.5, -7.2, -7.25, -100.25, -33.7, -1000.5, -6.03125, -7.5, -7, -7.5
    }), {
      0.010152626268322332, 28.437162684733332, -62.004263018282867, 259.75757576474478,
      4560.4681798133116, 9.8686054001734414, -33554431.679793036, nan, inf, 0.0
    }, {rtol = 1e-12})
    check_gradient(function(q) return special.zeta(numbers {2.5, 4, 3}, q) end, numbers {0.5, 2, 7})
  end)
  it("entropy and products with logarithms", function()
    close(special.entr(numbers {-1, 0, 0.3, 1, 5}), {
      -inf, 0.0, 0.361191841297781, -0.0, -8.0471895621705
    }, tight)
    close(special.xlog1py(numbers {0, 0, 2, 0}, numbers {-1, 3, 0.5, nan}), {
      0.0, 0.0, 0.810930216216329, nan
    }, tight)
    check_gradient(special.entr, numbers {0.3, 1, 5})
    check_gradient(special.xlog1py, numbers {0.3, -2}, numbers {0.5, 2})
    close(special.xlog1py(2, numbers {1, 2}), {1.386294361120, 2.197224577336})
    close(special.xlog1py(numbers {1, 2}, 2), {1.098612288668, 2.197224577336})
    close(special.xlog1py(tide.tensor({1, 2}, {device = device}), 1.5), {0.916290732, 1.832581464})
    close(special.xlog1py(0, numbers {1 / 0}), {0})
    check_gradient(function(x) return special.xlog1py(-0.5, x) + special.xlog1py(x, 3) end,
      numbers {0.5, 2})
    raises("expected a tensor, got two numbers", special.xlog1py, 1, 2)
    local a = numbers {0}:requires_grad_()
    special.xlog1py(a, numbers {-1}):sum():backward()
    close(a.grad, {0})
  end)
  it("incomplete gamma functions of any size", function()
    -- Integrals of the density with 30 digits and more.
    local a = numbers {
      1e10, 1e20, 1e10, 1e10, 1e6, 1e6, 50, 30, 25, 0.05, 1e-3, 1e-3, 0.9, 1e8, 1e8, 200
    }
    local x = numbers {
      1e10, 1e20, 10000100000, 9999800000, 1000200, 996000, 40, 38, 1e-3, 0.4, 1e-3, 0.9, 1.05,
      1.5e8, 0.5e8, 320
    }
    local lower, upper = {
      0.50000132980760134, 0.50000000001329808, 0.84134474607257577, 0.022749592035814547,
      0.57938483753396593, 3.1007118211082967e-5, 0.070335066659394954, 0.92036017938990678,
      6.4407542774664844e-101, 0.9642824501479884, 0.99368764670886029, 0.99973957030017818,
      0.69214101206478297, 1.0, 0.0, 0.99999999999976477
    }, {
      0.49999867019239866, 0.49999999998670192, 0.15865525392742423, 0.97725040796418545,
      0.42061516246603407, 0.99996899288178892, 0.92966493334060505, 0.079639820610093216, 1.0,
      0.035717549852011602, 0.0063123532911397099, 0.0002604296998218178, 0.30785898793521703, 0.0,
      1.0, 2.3522748472230575e-13
    }
    close(tide.igamma(a, x), lower, tight)
    close(tide.igammac(a, x), upper, tight)
    -- The density and its derivative, at the median and 3 deviations above.
    local order = numbers({1e4, 1e4, 1e10, 1e10, 20}):float()
    local place = numbers({1e4, 10300, 1e10, 10000299008, 5}):float():requires_grad_()
    tide.igamma(order, place):sum():backward()
    close(place.grad,
      {0.00398938955896, 4.69863492785e-5, 3.98942280398e-6, 4.56576806341e-8, 1.05648430997e-6},
      {rtol = 1e-6, atol = 0})
    -- At the median both equal a half in every type.
    for _, dtype in ipairs {"float32", "float64"} do
      local at = tide.tensor({1e10, 1e20, 1e30}, {dtype = dtype, device = device})
      close(tide.igamma(at, at), {0.50000133, 0.5, 0.5}, {rtol = 1e-7, atol = 0})
    end
  end)
  it("incomplete gamma functions", function()
    local a = numbers {0, 0.5, 1, 3, 10, 50, 200, 5000, 2, 3, 0, -1}
    local x = numbers {1, 0.2, 2, 3.5, 4, 60, 199, 5050, 0, inf, 0, 1}
    close(a:igamma(x), {
      1.0, 0.472910743134462, 0.864664716763387, 0.679152801137866, 0.00813224279693386,
      0.915593318803098, 0.481158588087872, 0.760984674739463, 0.0, 1.0, nan, nan
    }, {rtol = 1e-11})
    close(special.gammaincc(a, x), {
      0.0, 0.527089256865538, 0.135335283236613, 0.320847198862134, 0.991867757203066,
      0.0844066811969021, 0.518841411912129, 0.239015325260537, 1.0, 0.0, nan, nan
    }, {rtol = 1e-11})
    local orders, places = numbers {0.5, 2, 7}, numbers {0.3, 2.5, 6}
    check_gradient(function(v) return tide.igamma(orders, v) end, places)
    check_gradient(function(v) return tide.igammac(orders, v) end, places)
    check_gradient(function(v) return tide.igamma(orders:unsqueeze(2), v) end, places)
    raises("its derivative by the first argument is not available", function()
      tide.igamma(orders:clone():requires_grad_(), places):sum():backward()
    end)
  end)
  it("has PyTorch's other names", function()
    local x = numbers {0.3, 0.7}
    for name, first in pairs {psi = "digamma", gammaln = "lgamma", expit = "sigmoid", erf = "erf",
      erfc = "erfc", erfinv = "erfinv", exp2 = "exp2", expm1 = "expm1", log1p = "log1p",
      logit = "logit", sinc = "sinc", round = "round"} do
      test.identical(special[name](x), tide[first](x))
    end
    close(special.logsumexp(x, 1), x:exp():sum():log())
    close(special.softmax(x, 1), x:softmax(1))
    close(special.multigammaln(x + 1, 2), (x + 1):mvlgamma(2))
  end)
end)

describe("numbers in parts", function(device)
  local function numbers(values, dtype)
    return tide.tensor(values, {dtype = dtype or "float64", device = device})
  end

  it("gcd and lcm of all integer types", function()
    local a, b = numbers({12, 0, -18, 7}, "int64"), numbers({18, 5, 12, 0}, "int64")
    equal(a:gcd(b):tolist(), {6, 5, 6, 7})
    equal(a:lcm(b):tolist(), {36, 0, 36, 0})
    local large = numbers({3000000021, 5000000035}, "int64")
    equal(large[1]:gcd(large[2]):item(), 1000000007)
    equal(tide.gcd(numbers({math.mininteger}, "int64"), numbers({6}, "int64")):item(), 2)
    equal(tide.gcd(numbers({-128, 200 - 256}, "int8"), numbers({96, 24}, "int8")):tolist(), {32, 8})
    equal(tide.lcm(numbers({200}, "uint8"), numbers({16}, "int32")):tolist(), {400})
    equal(tide.gcd(a:reshape(4, 1), numbers({4, 9}, "int64")).shape, {4, 2})
    equal(a:gcd(tide.tensor(6)):tolist(), {6, 6, 6, 1})
    raises("expected integers", tide.gcd, numbers {1.5}, numbers {2})
  end)
  it("frexp and ldexp are inverse", function()
    local x = numbers {0, 1, 0.9999999, 12, -0.3, 1e-310, 1.7e308, inf}
    local mantissa, exponent = x:frexp()
    close(mantissa, {0, 0.5, 0.9999999, 0.75, -0.6, 0.5752618031559393, 0.9456563898655606, inf},
      {rtol = 1e-15})
    equal(exponent:tolist(), {0, 1, 0, 4, -1, -1029, 1024, 0})
    equal(exponent.dtype, "int32")
    for k = -1074, 1023, 7 do
      local m, e = numbers({2.0 ^ k}):frexp()
      equal({m:item(), e:item()}, {0.5, k + 1})
    end
    for _, dtype in ipairs {"float32", "float16", "bfloat16"} do
      local y = numbers({1, 3, 0.1, 1e-7, 60000}, dtype)
      local m, e = y:frexp()
      test.identical(m:to("float64"):ldexp(e:to("float64")):to(dtype), y)
    end
    check_gradient(function(v) return (v:frexp()) end, numbers {3.1, -0.3})
  end)
  it("nextafter returns the neighbor", function()
    local one = numbers({1, 0, -1, 5}, "float32")
    local towards = numbers({2, -1, 1, 5}, "float32")
    equal(one:nextafter(towards):tolist(), {1.0000001192092896, -1.401298464324817e-45,
      -0.9999999403953552, 5.0})
    equal(numbers({1}, "float16"):nextafter(numbers({2}, "float16")):item(), 1 + 2.0 ^ -10)
    equal(numbers({1}, "bfloat16"):nextafter(numbers({0}, "bfloat16")):item(), 1 - 2.0 ^ -8)
    equal(numbers({1.7976931348623157e308}):nextafter(numbers {inf}):item(), inf)
  end)
  it("handle trivial cases", function()
    local x = tide.tensor({1, -2}, {device = device})
    test.identical(x:positive(), x)
    equal(tide.rsub(x, 10):tolist(), {9, 12})
    equal(x:isreal():tolist(), {true, true})
    equal({x[1]:is_nonzero(), x:is_signed(), x:is_complex(), x:is_same_size(x * 2)},
      {true, true, false, true})
    raises("expected one element, got (2)", x.is_nonzero, x)
  end)
end)

describe("windows of signals", function(device)
  local wide = {dtype = "float64", device = device}
  it("are PyTorch's", function()
    local function check(name, periodic, symmetric)
      close(tide[name](5, true, wide), periodic, {rtol = 1e-12, atol = 1e-15})
      close(tide[name](4, false, wide), symmetric, {rtol = 1e-12, atol = 1e-15})
    end
    check("hann_window", {
      0.0, 0.345491502812526, 0.904508497187474, 0.904508497187474, 0.345491502812526
    }, {
      0.0, 0.75, 0.75, 0.0
    })
    check("blackman_window", {
      0.0, 0.20077014326253, 0.849229856737469, 0.84922985673747, 0.200770143262531
    }, {
      0.0, 0.63, 0.63, 0.0
    })
    check("bartlett_window", {
      0.0, 0.4, 0.8, 0.8, 0.4
    }, {
      0.0, 0.666666666666667, 0.666666666666667, 0.0
    })
    check("hamming_window", {
      0.08, 0.397852182587524, 0.912147817412476, 0.912147817412476, 0.397852182587524
    }, {
      0.08, 0.77, 0.77, 0.08
    })
    close(tide.kaiser_window(5, true, 8, wide), {
      0.00233883051273333, 0.226776841336427, 0.859802081772967, 0.859802081772967,
      0.226776841336427
    }, {rtol = 1e-12})
    close(tide.kaiser_window(4, false, wide), {
      5.27734413200977e-05, 0.518844721672361, 0.518844721672361, 5.27734413200977e-05
    }, {rtol = 1e-12})
    for _, name in ipairs {"hann", "hamming", "blackman", "bartlett", "kaiser"} do
      local window = tide[name .. "_window"]
      equal(window(1, {device = device}):tolist(), {1.0})
      equal(window(0, {device = device}).shape, {0})
      equal(window(3, {device = device}).dtype, "float32")
      raises("the length must be non-negative, got -1", window, -1)
    end
  end)
end)

describe("functions at their poles and outside their domains", function(device)
  it("return the values of IEEE 754 and C", function()
    local x = tide.tensor({0.0, -0.0, -1, -2}, {device = device})
    close(x:digamma(), {-inf, inf, nan, nan})
    for _, dtype in ipairs {"float32", "float64", "bfloat16"} do
      close(tide.tensor({0.5, -2, -32768, -3e38}, {dtype = dtype, device = device}):acosh(),
        {nan, nan, nan, nan})
    end
  end)
  it("round decimals of half types without overflow", function()
    equal(tide.tensor({65504.0, 0.26}, {dtype = "float16", device = device}):round(1):double()[1]
      :item(), 65504.0)
  end)
end)
