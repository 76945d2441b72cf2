-- amp.GradScaler: each optimizer is stepped or skipped separately; the scale depends on all of them.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local inf <const> = math.huge

describe("GradScaler", function(device)
  local function parameter(value) return tide.tensor({value}, {device = device}):requires_grad_() end

  it("skips the step of the only optimizer whose gradients overflow", function()
    local p, q = parameter(1.0), parameter(2.0)
    local first, second = tide.optim.SGD({p}, {lr = 0.5}), tide.optim.SGD({q}, {lr = 0.5})
    local scaler = tide.amp.GradScaler({init_scale = 8.0, growth_factor = 3, backoff_factor = 0.25,
      growth_interval = 2})
    -- {slopes of p and q, then p, q, the scale and the steps since its last change}: torch.amp.GradScaler.
    local steps = {
      {0.5, 0.25, 0.75, 1.875, 8.0, 1}, {inf, 0.25, 0.75, 1.75, 2.0, 0},
      {0.5, 0.25, 0.5, 1.625, 2.0, 1}, {0.5, inf, 0.25, 1.625, 0.5, 0},
      {0.5, 0.25, 0.0, 1.5, 0.5, 1}, {0.5, 0.25, -0.25, 1.375, 1.5, 0},
    }
    for _, step in ipairs(steps) do
      first:zero_grad()
      second:zero_grad()
      scaler:scale((p * step[1]):sum() + (q * step[2]):sum()):backward()
      scaler:step(first)
      scaler:step(second)
      scaler:update()
      local state = scaler:state_dict()
      equal({p:item(), q:item(), state.scale, state._growth_tracker}, {table.unpack(step, 3)})
    end
  end)
  it("continues with the scale and the count of a saved state", function()
    local function good_step(scaler)
      local p = parameter(1.0)
      scaler:scale(p:sum()):backward()
      scaler:step(tide.optim.SGD({p}, {lr = 0.5}))
      scaler:update()
    end
    local scaler = tide.amp.GradScaler({init_scale = 4, growth_factor = 3, backoff_factor = 0.25,
      growth_interval = 3})
    for _ = 1, 2 do good_step(scaler) end
    local state = scaler:state_dict()
    equal(state, {scale = 4, growth_factor = 3, backoff_factor = 0.25, growth_interval = 3,
      _growth_tracker = 2})
    local again = tide.amp.GradScaler()
    again:load_state_dict(state)
    good_step(again)
    equal(again:get_scale(), 12)
    equal(again:state_dict()._growth_tracker, 0)
  end)
  it("divides gradients by the scale once, before they are clipped", function()
    local p = parameter(1.0)
    local optimizer = tide.optim.SGD({p}, {lr = 0.5})
    local scaler = tide.amp.GradScaler({init_scale = 8})
    scaler:scale({(p * 0.75):sum(), (p * 2.0):sum()})[1]:backward()
    equal(p.grad:item(), 6.0)
    scaler:unscale_(optimizer)
    equal(p.grad:item(), 0.75)
    raises("unscale_: was already called since the last update", scaler.unscale_, scaler, optimizer)
    p.grad:fill_(0.25)
    scaler:step(optimizer)
    equal(p:item(), 0.875)
    raises("step: was already called since the last update", scaler.step, scaler, optimizer)
    raises("unscale_: was called after step", scaler.unscale_, scaler, optimizer)
    scaler:update(tide.tensor(16.0))
    equal(scaler:get_scale(), 16.0)
  end)
  it("does nothing if it is disabled", function()
    local p = parameter(1.0)
    local scaler = tide.amp.GradScaler({enabled = false})
    local loss = p:sum()
    equal({scaler:scale(loss), scaler:get_scale(), scaler:is_enabled()}, {loss, 1.0, false})
    loss:backward()
    p.grad:fill_(inf)
    scaler:step(tide.optim.SGD({p}, {lr = 1}))
    scaler:update()
    equal(p:item(), -inf)
  end)
  it("rejects invalid growth and backoff factors", function()
    for _, options in ipairs {{growth_factor = 1}, {backoff_factor = 1}} do
      raises("growth_factor must be above 1 and backoff_factor below", tide.amp.GradScaler, options)
    end
  end)
  it("takes no device", function()
    raises('GradScaler: takes no device, got "cuda": write GradScaler()', tide.amp.GradScaler, "cuda")
  end)
end)
