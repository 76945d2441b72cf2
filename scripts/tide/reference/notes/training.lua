-- What waits in a training, errors and kin.
return {
  {
    of = "trainer:fit",
    counts = "epochs and steps",
    waits = "where figures are shown or written",
    errors = "name the epoch and the batch; those of a loader name the sample, too",
    see = "tide.Trainer trainer:validate trainer:predict training.Module",
  },
  {
    of = "trainer:validate trainer:test trainer:predict",
    waits = "for the figures at the end",
    see = "trainer:fit trainer:validate trainer:test trainer:predict",
  },
  {of = "module:log module:log_dict trainer:log", see = "module:log module:log_dict loggers.CSVLogger"},
  {
    of = "CheckpointManager manager:save manager:restore",
    waits = "saving waits for the values",
    see = "training.CheckpointManager manager:save manager:restore tide.save",
  },
}
