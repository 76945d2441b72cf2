-- training.DataModule: the loaders of a training in one object.
local define = require "tide.internal.declare.define"

--- The base class of data modules, which provide all loaders of a training. Methods: prepare_data, setup(stage),
--- train_dataloader, val_dataloader, test_dataloader, predict_dataloader, teardown(stage).
---@example
--- local net = tide.nn.Linear(2, 2)
--- local loader = {{tide.ones(3, 2), tide.tensor{1, 2, 1}}, {tide.ones(3, 2), tide.tensor{2, 2, 1}}}
--- local Data = tide.class("Data", tide.training.DataModule)
--- function Data:predict_dataloader() return loader end
--- local trainer = tide.Trainer{max_epochs = 2, enable_progress_bar = false}
--- #trainer:predict(net, Data()) --> 2
local DataModule = define "training.DataModule"

--- Called once before setup, for one-time work such as downloads and files.
function DataModule:prepare_data() end

--- Called before the loaders are requested, with "fit", "validate", "test" or "predict".
function DataModule:setup() end

--- Called at the end of the stage that setup was called for.
function DataModule:teardown() end

-- train_dataloader, val_dataloader, test_dataloader and predict_dataloader each return a loader;
-- classes define the ones they have.

return DataModule
