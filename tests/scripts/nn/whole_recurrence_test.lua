-- Recurrent layers that compute all steps as one op: the same results as their cells, step by step.
local tide = require "tide"
local test = require "tide.test"
local describe, it, close, equal = test.describe, test.it, test.close, test.equal
local nn = tide.nn

-- {class of the layer, of the cell, options}
local kinds = {
  {"RNN", "RNNCell", {}}, {"RNN", "RNNCell", {nonlinearity = "relu"}},
  {"RNN", "RNNCell", {bias = false}},
  {"LSTM", "LSTMCell", {}}, {"LSTM", "LSTMCell", {bias = false}},
  {"GRU", "GRUCell", {}}, {"GRU", "GRUCell", {bias = false}},
}

local kLength, kInputs = 4, 5
-- {sequences, hidden size, with second derivatives}: sizes that fill no vectors, no blocks of a product
local kSizes = {{14, 37, true}, {2, 270, false}}

describe("recurrent layers over all steps at once", function(device)
  local place = {dtype = "float64", device = device}

  --- A layer and a cell with the same parameters.
  local function pair(kind, hidden)
    local layer = nn[kind[1]](kInputs, hidden, kind[3]):to(place)
    local cell = nn[kind[2]](kInputs, hidden, kind[3]):to(place)
    for name, parameter in cell:named_parameters() do
      parameter:detach():copy_(layer[name .. "_l0"]:detach())
    end
    return layer, cell
  end

  --- Outputs and last state of a cell called step by step.
  local function run_cell(cell, x, state)
    local outputs = {}
    for t = 1, #x do
      state = {cell(x[t], #state == 1 and state[1] or state)}
      outputs[t] = state[1]
    end
    return tide.stack(outputs, 1), state
  end

  local function run_layer(layer, x, state)
    local start = {}
    for i, each in ipairs(state) do start[i] = each:unsqueeze(1) end
    local y, last = layer(x, #start == 1 and start[1] or start)
    last = tide.is_tensor(last) and {last} or last
    for i, each in ipairs(last) do last[i] = each:squeeze(1) end
    return y, last
  end

  --- A scalar that depends on all outputs and has second derivatives.
  local function loss_of(y, last)
    local loss = (y * y:sin()):sum()
    for i, each in ipairs(last) do loss = loss + (each * each):sum() * (i + 0.5) end
    return loss
  end

  local function starts(kind, batch, hidden)
    local state = {}
    for i = 1, kind[1] == "LSTM" and 2 or 1 do
      state[i] = tide.randn(batch, hidden, place):requires_grad_()
    end
    return state
  end

  --- Outputs and derivatives of a layer or cell.
  local function all_of(net, run, x, state, twice)
    local inputs = {x, table.unpack(state)}
    for _, parameter in ipairs(net:parameters()) do inputs[#inputs + 1] = parameter end
    local y, last = run(net, x, state)
    local results = {
      values = {y, table.unpack(last)}, first = {tide.grad(loss_of(y, last), inputs)},
    }
    if not twice then return results end
    local again = {tide.grad(loss_of(run(net, x, state)), inputs, {create_graph = true})}
    local squares = 0
    for _, gradient in ipairs(again) do squares = squares + (gradient * gradient):sum() end
    results.again, results.second = again, {tide.grad(squares, inputs)}
    return results
  end

  for number, kind in ipairs(kinds) do
    it(("%s, case %d: values, first and second derivatives"):format(kind[1], number), function()
      tide.manual_seed(number)
      for _, sizes in ipairs(kSizes) do
        local batch, hidden, twice = table.unpack(sizes)
        local layer, cell = pair(kind, hidden)
        local x = tide.randn(kLength, batch, kInputs, place):requires_grad_()
        local state = starts(kind, batch, hidden)
        local got = all_of(layer, run_layer, x, state, twice)
        local wanted = all_of(cell, run_cell, x, state, twice)
        for what, values in pairs(wanted) do
          for k, value in ipairs(values) do
            close(got[what][k], value, {rtol = 1e-9, atol = 1e-10})
          end
        end
      end
    end)
  end

  it("accept one tensor for both states", function()
    local lstm = nn.LSTM(2, 3):to(place)
    local x, h = tide.randn(2, 1, 2, place), tide.randn(1, 1, 3, place):requires_grad_()
    local function gradient(options, first, second)
      local y = lstm(x, {first, second})
      return {tide.grad((y * y):sum(), first == second and {first} or {first, second}, options)}
    end
    for _, options in ipairs {{}, {create_graph = true}} do
      local apart = gradient(options, h, h:detach():clone():requires_grad_())
      close(gradient(options, h, h)[1], apart[1] + apart[2], {rtol = 1e-12})
    end
  end)

  it("compute the same bits with any number of threads", function()
    local threads = tide.get_num_threads()
    local results = {}
    for _, class in ipairs {"RNN", "LSTM", "GRU"} do
      tide.manual_seed(3)
      local layer = nn[class](64, 200):to {device = device, dtype = "float32"}
      local x = tide.randn(3, 40, 64, {device = device}):requires_grad_()
      for run, count in ipairs {1, 3} do
        tide.set_num_threads(count)
        layer:zero_grad()
        x.grad = nil
        local y = layer(x)
        y:sum():backward()
        results[run] = {y, x.grad, layer.weight_hh_l0.grad:clone(), layer.weight_ih_l0.grad:clone()}
        tide.synchronize()
      end
      tide.set_num_threads(threads)
      for k, value in ipairs(results[1]) do equal(value, results[2][k]) end
    end
  end)
end)
