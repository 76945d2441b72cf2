-- Formulas of optimizers and of plans for the learning rate. g is the gradient with weight decay,
-- p a parameter, t the step from 1.
return {
  {of = "GradScaler", waits = "step looks whether gradients are finite", see = "amp.autocast optimizer:step"},
}
