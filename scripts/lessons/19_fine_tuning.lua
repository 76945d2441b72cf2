-- Lesson 19: fine-tuning. What one network has learned serves another: names, frozen layers.
--
-- Run it:        tide lesson 19
-- On the cpu:    tide lesson 19 --device cpu
-- Very small:    tide lesson 19 --epochs 1 --tuning 2 --digits 100
--
-- Learning from nothing takes many samples. Mostly there is a network that has learned something
-- similar: take its weights, give it another last layer, and learn a little more. Here a network
-- learns the digits 0 to 4 from many samples, and then 5 to 9 from a few.
local tide = require "tide"
local nn, optim, data = tide.nn, tide.optim, tide.data
local F = nn.functional

local options = tide.args {
  device = tide.cuda.is_available() and "cuda" or "sim",
  epochs = 8,    -- of learning the digits 0 to 4
  tuning = 10,   -- steps of learning the digits 5 to 9
  digits = 1797, -- how many are used
}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. A network that knows something ---------------------------------------------------------------
-- Two parts with names: the body finds shapes, the head tells classes by them. A class of one's
-- own is a module with an `init` and a `forward`.
heading "1. A network learns 0 to 4"

local Net = tide.class("Net", nn.Module)

function Net:init(classes)
  self.body = nn.Sequential(
    nn.Conv2d(1, 16, 3, {padding = 1}), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 32, 3, {padding = 1}), nn.BatchNorm2d(32), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten()
  )
  self.head = nn.Linear(32 * 4 * 4, classes)
end

function Net:forward(x) return self.head(self.body(x)) end

local images, labels = data.digits()
images = images[{{1, options.digits}}]:to("float32"):unsqueeze(2) / 16
labels = labels[{{1, options.digits}}]:to("int64")

--- Pictures and classes (from 1) of the digits from `first` to `last`, on the device.
local function digits_of(first, last)
  local wanted = labels:ge(first) & labels:le(last)
  return images[wanted]:to(device), (labels[wanted] - first + 1):to(device)
end
local low_x, low_y = digits_of(0, 4)
local high_x, high_y = digits_of(5, 9)

--- The share of right answers.
local function accuracy(net, x, y)
  net:eval()
  local _ <close> = tide.no_grad()
  return net(x):argmax(2):eq(y):to("float32"):mean():item()
end

local teacher = Net(5):to(device)
local optimizer = optim.SGD(teacher:parameters(), {lr = 0.05, momentum = 0.9})
local loader = data.DataLoader(data.TensorDataset(low_x, low_y), {batch_size = 64, shuffle = true})
for _ = 1, options.epochs do
  teacher:train()
  for x, y in loader do
    optimizer:zero_grad()
    F.cross_entropy(teacher(x), y):backward()
    optimizer:step()
  end
end
local known = accuracy(teacher, low_x, low_y)
print(("  %.1f %% of the digits 0 to 4"):format(100 * known))
local full = options.digits == 1797 and options.epochs >= 8 and options.tuning >= 10
assert(not full or known > 0.95)

-- 2. Weights have names ---------------------------------------------------------------------------
-- The path to a weight is its name: body, then its layer, then what it is there. Names in a
-- state_dict count layers from 0, as PyTorch's files do; in Lua the first layer is net.body[1].
heading "2. Named weights"

for name, parameter in teacher:named_parameters() do
  print(("  %-14s (%s)"):format(name, table.concat(parameter.shape, ", ")))
end
local state = teacher:state_dict()
assert(state["body.0.weight"]:equal(teacher.body[1].weight))
-- Beside the parameters there are buffers: numbers that are kept, but not learned by gradients.
assert(state["body.1.running_mean"]:equal(teacher.body[2].running_mean))

-- The new network has another head. What does not fit is said by name:
local student = Net(5):to(device)
local bigger = Net(7):to(device)
local ok, message = pcall(function() bigger:load_state_dict(state) end)
assert(not ok and message:find("head.weight", 1, true), message)
print("  into a network with 7 classes:\n    " .. message)
-- So leave the head out, and say that something may be missing.
for name in pairs(state) do
  if name:find("^head") then state[name] = nil end
end
student:load_state_dict(state, {strict = false})
assert(student.body[1].weight:equal(teacher.body[1].weight), "the body is the teacher's")
assert(not student.head.weight:equal(teacher.head.weight), "the head is new")

-- 3. Frozen layers --------------------------------------------------------------------------------
-- What requires no gradient gets none, and takes no step. A backward pass does not even go there.
heading "3. The body is frozen"

student.body:requires_grad_(false)
local few = 10 -- number of samples for the student: two of each digit or so
few = math.min(few, #high_x // 2)
local few_x, few_y = high_x[{{1, few}}], high_y[{{1, few}}]
local exam_x, exam_y = high_x[{{few + 1, #high_x}}], high_y[{{few + 1, #high_y}}]

F.cross_entropy(student(few_x), few_y):backward()
for name, parameter in student:named_parameters() do
  local gradient = parameter.grad
  print(("  %-14s %s"):format(name, gradient and "has a gradient" or "frozen, its gradient is nil"))
  assert((gradient == nil) == (name:find("^body") ~= nil))
end
student:zero_grad()

-- 4. Train and eval -------------------------------------------------------------------------------
-- A frozen batch norm still changes: in train it follows the mean of the batches that come by, and
-- that does not depend on gradients. In eval it stays as it is. So keep what is frozen in eval.
heading "4. Batch norm: train and eval"

local norm = student.body[2]
local mean_before = norm.running_mean:clone()
student:eval()
student(few_x)
assert(norm.running_mean:equal(mean_before), "eval leaves it alone")
student:train()
student(few_x)
assert(not norm.running_mean:equal(mean_before), "train changes it, frozen or not")
print("  in train the running mean moved, though the layer is frozen; in eval it does not")
student:load_state_dict(state, {strict = false}) -- all as the teacher had it
mean_before = norm.running_mean:clone()

--- Trains for some steps on the few samples; the body is in eval if `still`.
local function tune(net, sgd, still)
  for _ = 1, options.tuning do
    net:train()
    if still then net.body:eval() end
    sgd:zero_grad()
    F.cross_entropy(net(few_x), few_y):backward()
    sgd:step()
  end
  return accuracy(net, exam_x, exam_y)
end
local weight_before = student.body[1].weight:clone()
local only_head = optim.SGD(student.head:parameters(), {lr = 0.05, momentum = 0.9})
local head_tuned = tune(student, only_head, true)
assert(student.body[1].weight:equal(weight_before), "the body did not move at all")
assert(norm.running_mean:equal(mean_before), "nor did its means")

-- 5. Two learning rates ---------------------------------------------------------------------------
-- Then thaw the body, and let it take small steps while the head takes large ones. An optimizer
-- has groups for that: each with its own options.
heading "5. A learning rate for each part"

student.body:requires_grad_(true)
local both = optim.SGD({
  {params = student.body:parameters(), lr = 0.002},
  {params = student.head:parameters()}, -- the one below
}, {lr = 0.05, momentum = 0.9})
print(both)
assert(both.param_groups[1].lr == 0.002 and both.param_groups[2].lr == 0.05)
local all_tuned = tune(student, both, true)
assert(not student.body[1].weight:equal(weight_before), "now the body has moved")

-- 6. Was it worth it? -----------------------------------------------------------------------------
-- A network of the same kind that starts from nothing, with the same few samples and steps:
heading(("6. The exam: %d digits, after %d samples"):format(#exam_x, few))

local fresh = Net(5):to(device)
local from_nothing = tune(fresh, optim.SGD(fresh:parameters(), {lr = 0.05, momentum = 0.9}), false)
print(("  from nothing               %5.1f %%"):format(100 * from_nothing))
print(("  a new head                 %5.1f %%"):format(100 * head_tuned))
print(("  a new head, then all of it %5.1f %%"):format(100 * all_tuned))
tide.plot.bar({"from nothing", "a new head", "then all of it"}, {from_nothing, head_tuned, all_tuned}, {
  title = "share of right answers", ylim = {0, 1},
}):show()
assert(not full or (head_tuned > 0.7 and all_tuned > 0.7), "guessing would give 20 %")
assert(not full or head_tuned > from_nothing, "what was learned of 0 to 4 helps with 5 to 9")

print("\nAll of this was true on " .. tostring(device) .. ".")

print [[

Exercises
---------
1. Save the student's weights in a file with tide.save, load them into a new network, and show that
   both say the same about a picture.
2. Freeze the body, but give its parameters to the optimizer too, with weight_decay = 0.1. Do they
   move? And if they are not frozen, but their gradients are set to zero?
3. With torchvision's names, tide.vision.models.resnet18 is fine-tuned the same way: give it a head
   for 5 classes and freeze all but that. How many parameters are left to learn?

`tide lesson 19 --answers` shows answers.]]
