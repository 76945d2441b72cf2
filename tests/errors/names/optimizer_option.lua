-- An option that an optimizer does not know.
local optimizer = tide.optim.SGD({tide.ones(1)}, {learning_rate = 0.1})
--> tide: optimizer_option.lua:2: SGD: unknown option 'learning_rate': known are params, lr, momentum, dampening, weight_decay, nesterov, maximize
