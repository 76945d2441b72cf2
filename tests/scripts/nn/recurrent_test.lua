-- Recurrent layers and cells with a nonzero initial state: PyTorch's values and gradients.
local tide = require "tide"
local test = require "tide.test"
local describe, it, close = test.describe, test.it, test.close
local nn = tide.nn

-- All in float64. Parameter k (from 0) is 0.6 sin(0.7 i + 1.3 k + 0.1), the input sin(1.7 i); the
-- hidden state is half of that, that of an LSTM's cell 0.8 of it.

-- {class, arguments, output, last state, gradient of the output's sum by the input}: torch.nn.
local layers = {
  {"RNN", {3, 2},
    {0.321246321449, -0.569940051025, 0.121552892751, -0.854263292386, -0.0963682907663,
      -0.841156296764, -0.780807978263, -0.426032874055, -0.850727171381, 0.13105899588,
      -0.680754348558, -0.349309197662},
    {-0.850727171381, 0.13105899588, -0.680754348558, -0.349309197662},
    {0.636852726143, 0.873958429488, 0.700027827468, 0.235964220458, 0.689704713544,
      0.819066302917, 0.213582781732, 0.619609218829, 0.73422375865, 0.468947790696,
      0.379392491998, 0.111402976142, 0.493313762687, 0.259991411457, -0.0956089630596,
      0.458048480311, 0.356982686753, 0.0880223576066}},
  {"RNN", {3, 2, 2, {nonlinearity = "relu", bias = false}},
    {0, 0, 0.426335313686, 0.0390157562673, 0.147402226036, 0, 0, 0, 0, 0, 0, 0},
    {0, 0.842963601427, 0.131439250762, 0.422576238028, 0, 0, 0, 0},
    {0.0735080641611, 0.0843234075805, 0.0554801348252, -0.0140488582002, -0.100948503403,
      -0.140370490091, 0.0153600457139, 0.110370081677, 0.153471343647, 0, 0, 0, 0, 0, 0, 0, 0,
      0}},
  {"LSTM", {3, 2},
    {0.146055123071, 0.242531658606, -0.386364833392, -0.179638296456, -0.156994868534,
      0.141816430884, -0.179527749393, 0.0899067947279, 0.0688724113083, 0.162748872633,
      0.0563001316126, 0.00826188380452},
    {0.0688724113083, 0.162748872633, 0.0563001316126, 0.00826188380452, 0.119440942491,
      0.196305567381, 0.0777630492707, 0.0103032011662},
    {0.145496541512, 0.0348913039593, -0.0921238590377, 0.00418105019297, -0.274505655966,
      -0.424088062855, 0.214461717031, -0.0321733423456, -0.263676776095, 0.0912022946324,
      -0.131076560812, -0.291708061579, -0.0773785615587, -0.103370441297, -0.0807455872851,
      -0.0237814205294, -0.0934266516989, -0.119131868743}},
  {"LSTM", {3, 3, 2, {proj_size = 2, bidirectional = true}},
    {-0.12588174238, 0.131314677974, 0.00605920881565, 0.104586451124, -0.0831629167304,
      0.115869758415, 0.00880187296005, 0.0821773634913, -0.09920951943, 0.113051948012,
      0.0293415874068, 0.08869806535, -0.0721612019843, 0.134510349143, 0.0326717817244,
      0.0527451344971, -0.0798148922217, 0.122063374126, 0.0672237907847, 0.0373136276522,
      -0.061507992459, 0.136784716932, 0.0891527689678, -0.0181015327107},
    {-0.0682322130547, 0.207510078824, -0.115813662246, 0.239088381994, -0.0900795728782,
      0.201701513856, -0.1047021172, 0.189977664332, -0.0798148922217, 0.122063374126,
      -0.061507992459, 0.136784716932, 0.00605920881565, 0.104586451124, 0.00880187296005,
      0.0821773634913, 0.216324138665, 0.625874486919, 0.19774121247, 0.398665905261,
      0.570442796653, 0.281500934647, 0.561723595953, 0.230087701432, 0.315850232905,
      0.607027450348, 0.102263162572, 0.15402249629, 0.473277525788, 0.259802386362,
      -0.230960574577, 0.43949121472, 0.44056733699, -0.159782699695, 0.361634628891,
      0.389489210847, 0.0538706604094, 0.333670512932, 0.192070301621, 0.112424181708},
    {-0.00170516010561, 0.00169502781102, 0.00429801766259, 0.0142267920267, 0.0193998160521,
      0.0154488034577, 0.0089433231843, 0.0112016517686, 0.00819166849556, 0.00688561929158,
      0.0109938759936, 0.00993154103174, 0.00233986334709, 0.00592356452531, 0.00672132074903,
      -0.00225974055265, 0.000211847645757, 0.00258380058615}},
  {"GRU", {3, 2},
    {0.104320344091, 0.0154508727239, -0.554216585807, -0.221316850232, -0.417371608186,
      0.317492057801, -0.429481111693, 0.219693294127, 0.181744457888, 0.0477259053103,
      0.0217433281489, -0.15742444722},
    {0.181744457888, 0.0477259053103, 0.0217433281489, -0.15742444722},
    {0.315885027946, -0.0498622200642, -0.392158486859, -0.360423182934, -0.663822033491,
      -0.655015009192, -0.307859688214, -0.57167738468, -0.566626274426, -0.181506562217,
      -0.539871903581, -0.64432705296, 0.0177102769742, -0.19842163547, -0.321232752329,
      0.171151026947, -0.0518634725534, -0.250485770523}},
  {"GRU", {3, 2, 2, {bidirectional = true}},
    {0.278762371697, -0.533813179362, 0.428190779486, -0.230541330705, -0.287167662438,
      -0.574334475856, -0.070272497097, 0.130352299444, 0.138863156007, -0.685387584301,
      0.407082651192, -0.148966464867, -0.157731958416, -0.695815275285, -0.127772110789,
      0.0546974872263, -0.103138367373, -0.697095083746, 0.449173598177, -0.149755897853,
      -0.0302904884908, -0.791795112508, -0.273363057492, 0.066900586443},
    {0.181744457888, 0.0477259053103, 0.0217433281489, -0.15742444722, -0.353217956237,
      -0.578018245378, -0.592112977017, -0.583660206845, -0.103138367373, -0.697095083746,
      -0.0302904884908, -0.791795112508, 0.428190779486, -0.230541330705, -0.070272497097,
      0.130352299444},
    {-0.0664663960197, -0.0222304318056, 0.0324608518468, 0.0366683354483, 0.072628717856,
      0.074430679401, 0.0578257779098, 0.116879296466, 0.120962655605, 0.0387852946112,
      0.109051761956, 0.128029481672, -0.00547981301013, 0.113872787748, 0.179669237117,
      -0.139025174292, -0.0874238662438, 0.00529425213496}},
}

-- {class, options, result for a batch, result for its second sample}: torch.nn.
local cells = {
  {"RNNCell", {},
    {0.321246321449, -0.569940051025, 0.121552892751, -0.854263292386},
    {0.121552892751, -0.854263292386}},
  {"RNNCell", {nonlinearity = "relu"},
    {0.333036231103, 0, 0.122156908783, 0},
    {0.122156908783, 0}},
  {"LSTMCell", {},
    {0.146055123071, 0.242531658606, -0.386364833392, -0.179638296456, 0.206145490513,
      0.356191599214, -0.484337123173, -0.29408559676},
    {-0.386364833392, -0.179638296456, -0.484337123173, -0.29408559676}},
  {"GRUCell", {},
    {0.104320344091, 0.0154508727239, -0.554216585807, -0.221316850232},
    {-0.554216585807, -0.221316850232}},
}

describe("recurrent layers", function(device)
  local place = {dtype = "float64", device = device}

  local function wave(...)
    local count = 1
    for _, size in ipairs {...} do count = count * size end
    return (tide.arange(count, place) * 1.7):sin():reshape(...)
  end

  --- A layer with the parameters above.
  local function new(class, ...)
    local layer = nn[class](...):to(place)
    for k, parameter in ipairs(layer:parameters()) do
      local iota = tide.arange(parameter:numel(), place)
      local values = (iota * 0.7 + (1.3 * (k - 1) + 0.1)):sin() * 0.6
      parameter:detach():copy_(values:reshape(parameter.shape))
    end
    return layer
  end

  --- All numbers of a tensor or of a list of tensors.
  local function flat(state)
    if tide.is_tensor(state) then return state:reshape(-1) end
    return tide.cat {state[1]:reshape(-1), state[2]:reshape(-1)}
  end

  for i, case in ipairs(layers) do
    local class, arguments, output, last, gradient = table.unpack(case)
    it(("%s, case %d"):format(class, i), function()
      local layer = new(class, table.unpack(arguments))
      local options = arguments[4] or {}
      local hidden, count = arguments[2], arguments[3] or 1
      if options.bidirectional then count = 2 * count end
      local state = wave(count, 2, options.proj_size or hidden) * 0.5
      if class == "LSTM" then state = {state, wave(count, 2, hidden) * 0.8} end
      local x = wave(3, 2, 3):requires_grad_()
      local y, now = layer(x, state)
      y:sum():backward()
      close(y:reshape(-1), tide.tensor(output, place), {rtol = 1e-10, atol = 1e-12})
      close(flat(now), tide.tensor(last, place), {rtol = 1e-10, atol = 1e-12})
      close(x.grad:reshape(-1), tide.tensor(gradient, place), {rtol = 1e-10, atol = 1e-12})
    end)
    it(("%s, case %d, of a single sequence"):format(class, i), function()
      local layer = new(class, table.unpack(arguments))
      local options = arguments[4] or {}
      local hidden, count = arguments[2], arguments[3] or 1
      if options.bidirectional then count = 2 * count end
      local state = wave(count, 2, options.proj_size or hidden) * 0.5
      local own = state[{{}, 2}]
      if class == "LSTM" then
        local cell = wave(count, 2, hidden) * 0.8
        own = {own, cell[{{}, 2}]}
      end
      local y, now = layer(wave(3, 2, 3)[{{}, 2}], own)
      close(y:reshape(-1), tide.tensor(output, place):reshape(3, 2, -1)[{{}, 2}]:reshape(-1),
        {rtol = 1e-10, atol = 1e-12})
      test.equal((class == "LSTM" and now[1] or now):dim(), 2)
    end)
  end

  for _, case in ipairs(cells) do
    local class, options, batch, single = table.unpack(case)
    it(("%s%s"):format(class, options.nonlinearity and " with relu" or ""), function()
      local cell = new(class, 3, 2, options)
      local x, h, c = wave(2, 3), wave(2, 2) * 0.5, wave(2, 2) * 0.8
      local function result(input, hidden, inner)
        local got = table.pack(cell(input, class == "LSTMCell" and {hidden, inner} or hidden))
        return flat(got[2] and got or got[1])
      end
      close(result(x, h, c), tide.tensor(batch, place), {rtol = 1e-10})
      close(result(x[2], h[2], c[2]), tide.tensor(single, place), {rtol = 1e-10})
    end)
  end
end)
