-- training.DataModule: the loaders of a training in one object.
local class = require "tide.internal.class"

local DataModule = class("DataModule")

--- Called once before setup, for what happens once: downloads, files.
function DataModule:prepare_data() end

--- Called before the loaders are asked for, with "fit", "validate", "test" or "predict".
function DataModule:setup() end

--- Called at the end of what setup was called for.
function DataModule:teardown() end

-- train_dataloader, val_dataloader, test_dataloader and predict_dataloader return a loader each;
-- classes define those they have.

return DataModule
