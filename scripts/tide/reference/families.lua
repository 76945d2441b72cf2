-- Families of declared names: {title, beginning of the names, files or folders...}. A folder stands for the files in it,
-- in the order of their names.
return {
  {"Optimizers", "optim.", "optim/"},
  {"Methods of optimizers", "optimizer:", "optim/optimizer.lua"},
  {"Plans for the learning rate", "optim.lr_scheduler.", "optim/"},
  {"Means of models", "optim.swa_utils.", "optim/swa_utils.lua"},
}
