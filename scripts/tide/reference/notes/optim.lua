-- Formulas of optimizers and of plans for the learning rate. g is the gradient with weight decay,
-- p a parameter, t the step from 1.
return {
  {
    of = "SGD",
    formula = "g = grad + weight_decay p; b = momentum b + (1 - dampening) g; p = p - lr b, or "
      .. "with nesterov p - lr (g + momentum b)",
    see = "optim.Adam optim.AdamW lr_scheduler.OneCycleLR optimizer:step",
  },
  {
    of = "Adam",
    formula = "m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; p = p - lr m / (1 - "
      .. "beta1^t) / (sqrt(v / (1 - beta2^t)) + eps), g = grad + weight_decay p",
    see = "optim.AdamW optim.SGD optim.NAdam optim.RAdam",
  },
  {
    of = "AdamW",
    formula = "p = p (1 - lr weight_decay), then as Adam without its weight decay",
    see = "optim.Adam optim.SGD",
  },
  {
    of = "Adamax",
    formula = "m = beta1 m + (1 - beta1) g; u = max(beta2 u, |g| + eps); p = p - lr m / ((1 - "
      .. "beta1^t) u)",
    see = "optim.Adam",
  },
  {
    of = "NAdam",
    formula = "as Adam, with the momentum of the next step: mu_t = beta1 (1 - 0.96^(t "
      .. "momentum_decay) / 2)",
    see = "optim.Adam optim.RAdam",
  },
  {
    of = "RAdam",
    formula = "as Adam, and by m alone as long as the variance of v is not known",
    see = "optim.Adam optim.NAdam",
  },
  {
    of = "Adagrad",
    formula = "s = s + g^2; p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)",
    see = "optim.RMSprop optim.Adadelta",
  },
  {
    of = "Adadelta",
    formula = "v = rho v + (1 - rho) g^2; d = sqrt(u + eps) / sqrt(v + eps) g; u = rho u + (1 - "
      .. "rho) d^2; p = p - lr d",
    see = "optim.Adagrad optim.RMSprop",
  },
  {
    of = "RMSprop",
    formula = "v = alpha v + (1 - alpha) g^2; p = p - lr g / (sqrt(v) + eps); centered takes the "
      .. "mean's square off v; momentum as in SGD",
    see = "optim.Adam optim.Adagrad",
  },
  {
    of = "Rprop",
    formula = "each element has a step of its own, which grows by etas[2] while the sign of g "
      .. "stays and shrinks by etas[1] when it changes",
    see = "optim.SGD",
  },
  {
    of = "ASGD",
    formula = "p = p (1 - lambd eta) - eta g; ax = mean of p from step t0 on; eta = lr / (1 + "
      .. "lambd lr t)^alpha",
    see = "optim.SGD optim.swa_utils.AveragedModel",
  },
  {
    of = "Adafactor",
    formula = "as Adam without m, with the squares of a matrix kept as means of its rows and "
      .. "columns",
    see = "optim.AdamW",
  },
  {
    of = "Muon",
    formula = "b = momentum b + (1 - momentum) g; p = p (1 - lr weight_decay) - lr orthogonal(b), "
      .. "by ns_steps of a Newton-Schulz iteration",
    errors = "parameters that are not matrices",
    see = "optim.AdamW optim.SGD",
  },
  {
    of = "LBFGS",
    formula = "p = p - lr H g, H the inverse curvature as history_size steps show it",
    waits = "in each step",
    errors = "step needs a closure; one group of parameters only",
    see = "optim.SGD optimizer:step",
  },
  {of = "Optimizer", see = "optim.SGD optim.Adam optimizer:step optimizer:zero_grad"},
  {
    of = "optimizer:step optimizer:zero_grad",
    waits = "no; LBFGS does",
    see = "optimizer:step optimizer:zero_grad x:backward optim.SGD",
  },
  {
    of = "StepLR",
    formula = "lr = lr_0 gamma^(t // step_size)",
    see = "lr_scheduler.MultiStepLR lr_scheduler.ExponentialLR",
  },
  {
    of = "MultiStepLR",
    formula = "lr = lr_0 gamma^(number of milestones up to t)",
    see = "lr_scheduler.StepLR",
  },
  {of = "ExponentialLR", formula = "lr = lr_0 gamma^t", see = "lr_scheduler.StepLR"},
  {
    of = "ConstantLR",
    formula = "lr = lr_0 factor until t = total_iters, then lr_0",
    see = "lr_scheduler.LinearLR",
  },
  {
    of = "LinearLR",
    formula = "lr = lr_0 (start_factor + (end_factor - start_factor) min(t / total_iters, 1))",
    see = "lr_scheduler.ConstantLR lr_scheduler.PolynomialLR",
  },
  {
    of = "PolynomialLR",
    formula = "lr = lr_0 (1 - min(t / total_iters, 1))^power",
    see = "lr_scheduler.LinearLR",
  },
  {
    of = "CosineAnnealingLR",
    formula = "lr = eta_min + (lr_0 - eta_min) (1 + cos(pi t / T_max)) / 2",
    see = "lr_scheduler.CosineAnnealingWarmRestarts lr_scheduler.OneCycleLR",
  },
  {
    of = "CosineAnnealingWarmRestarts",
    formula = "as CosineAnnealingLR, again and again: T_0 steps, then T_0 T_mult, ...",
    see = "lr_scheduler.CosineAnnealingLR",
  },
  {of = "LambdaLR", formula = "lr = lr_0 lr_lambda(t)", see = "lr_scheduler.MultiplicativeLR"},
  {of = "MultiplicativeLR", formula = "lr = lr lr_lambda(t)", see = "lr_scheduler.LambdaLR"},
  {
    of = "OneCycleLR",
    formula = "from max_lr / div_factor up to max_lr in pct_start of the steps, then down to "
      .. "max_lr / div_factor / final_div_factor",
    see = "lr_scheduler.CyclicLR lr_scheduler.CosineAnnealingLR training.lr_find",
  },
  {
    of = "CyclicLR",
    formula = "from base_lr up to max_lr in step_size_up steps and back in step_size_down, again "
      .. "and again",
    see = "lr_scheduler.OneCycleLR",
  },
  {
    of = "SequentialLR ChainedScheduler",
    see = "lr_scheduler.SequentialLR lr_scheduler.ChainedScheduler lr_scheduler.LinearLR",
  },
  {
    of = "ReduceLROnPlateau",
    formula = "lr = lr factor after patience steps without a better figure",
    waits = "step(figure) reads a figure that is a tensor",
    see = "lr_scheduler.StepLR training.EarlyStopping",
  },
  {
    of = "AveragedModel",
    formula = "mean = mean + (p - mean) / (n + 1), or by avg_fn",
    see = "optim.swa_utils.SWALR optim.swa_utils.update_bn optim.swa_utils.get_ema_avg_fn",
  },
  {
    of = "SWALR update_bn",
    see = "optim.swa_utils.AveragedModel optim.swa_utils.SWALR optim.swa_utils.update_bn",
  },
  {
    of = "get_ema_avg_fn get_ema_multi_avg_fn",
    formula = "mean = decay mean + (1 - decay) p",
    see = "optim.swa_utils.AveragedModel training.ExponentialMovingAverage",
  },
  {
    of = "GradScaler",
    waits = "step looks whether gradients are finite",
    see = "amp.autocast optimizer:step",
  },
}
