-- training.Callback: the base class of callbacks, whose hooks a trainer calls during a training.
local define = require "tide.internal.declare.define"

--- The base class of callbacks; a plain table works too. Hooks receive the trainer, the module and these arguments:
--- setup(stage), teardown(stage), on_fit_start, on_fit_end, on_train_start, on_train_end, on_train_epoch_start,
--- on_train_epoch_end, on_train_batch_start(batch, i), on_train_batch_end(outputs, batch, i),
--- on_before_zero_grad(optimizer), on_before_backward(loss), on_after_backward, on_before_optimizer_step(optimizer),
--- on_sanity_check_start, on_sanity_check_end, on_save_checkpoint(table), on_load_checkpoint(table),
--- on_exception(problem); on_validation_start, _end, _epoch_start, _epoch_end, _batch_start, _batch_end, and the same
--- for test and predict. on_advance_end({stepped, validated, epoch_ended, stopping}) is called when all work after a
--- step is done. Checkpoints include the callback's state_dict; load_state_dict restores it.
---@example
--- local Count = tide.class("Count", tide.training.Callback)
--- function Count:init() self.batches = 0 end
--- function Count:on_train_batch_end() self.batches = self.batches + 1 end
--- local net, count = tide.nn.Linear(2, 2), Count()
--- local F, optimizer = tide.nn.functional, tide.optim.SGD(net:parameters(), {lr = 0.1})
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false, callbacks = {count}}
--- trainer:fit(net, loader, {loss = F.cross_entropy, optimizer = optimizer})
--- count.batches --> 4
local Callback = define "training.Callback"

return Callback
