-- The reference of optimizers and plans for the learning rate.
return {
  {
    title = "Optimizers",
    prefix = "tide.optim.",
    {"swa_utils", "", "Means of models: see tide.optim.swa_utils.NAME",
      "optim.swa_utils.AveragedModel ~= nil --> true"},
    {"Optimizer", "(params, options, defaults)",
      "The base of all optimizers: define update(parameter, grad, state, group)",
      [[local Step = tide.class("Step", optim.Optimizer); ]] ..
        "function Step:update(w, grad) w:sub_(grad) end; " ..
        "local w = nn.Parameter(tide.ones(1)); w:sum():backward(); Step({w}, {}, {}):step(); " ..
        "w --> {0.0}"},
    {"SGD", "(...)", "Gradient descent",
      "local w = nn.Parameter(tide.tensor{1.0}); local sgd = optim.SGD({w}, {lr = 0.1}); " ..
        "(w * 5):sum():backward(); sgd:step(); w --> {0.5}"},
    {"Adam", "(...)", "Steps scaled by running means of the gradient and its square",
      "local w = nn.Parameter(tide.tensor{1.0}); local adam = optim.Adam({w}, {lr = 0.1}); " ..
        "(w * 5):sum():backward(); adam:step(); w --> {0.9}"},
    {"AdamW", "(...)", "Adam with decoupled weight decay",
      "local w = nn.Parameter(tide.tensor{1.0}); local adam = optim.AdamW({w}, {lr = 0.1}); " ..
        "(w * 5):sum():backward(); adam:step(); w --> {0.899}"},
    {"ASGD", "(...)", "Gradient descent that keeps the mean of the parameters",
      "local w = nn.Parameter(tide.tensor{1.0}); local asgd = optim.ASGD({w}, {lr = 0.1}); " ..
        "(w * 5):sum():backward(); asgd:step(); w --> {0.5}"},
    {"Adadelta", "(...)", "Steps as large as recent steps were",
      "local w = nn.Parameter(tide.tensor{1.0}); local adadelta = optim.Adadelta({w}); " ..
        "(w * 5):sum():backward(); adadelta:step(); w --> {0.9968}"},
    {"Adafactor", "(...)",
      "Squares kept as sums of rows and columns, steps as large as the parameters allow",
      "local w = nn.Parameter(tide.tensor{1.0}); local adafactor = optim.Adafactor({w}, {lr = 0.1}); " ..
        "(w * 5):sum():backward(); adafactor:step(); w --> {0.9}"},
    {"Muon", "(...)", "Momentum whose matrices are made orthogonal",
      "local w = nn.Parameter(tide.ones(2, 2)); local muon = optim.Muon({w}, {lr = 0.1}); " ..
        "w:sum():backward(); muon:step(); w:sum():item() < 4 --> true"},
    {"Adagrad", "(...)", "Steps divided by the root of the sum of all squared gradients",
      "local w = nn.Parameter(tide.tensor{1.0}); " ..
        "local adagrad = optim.Adagrad({w}, {lr = 0.1}); (w * 5):sum():backward(); " ..
        "adagrad:step(); w --> {0.9}"},
    {"Adamax", "(...)", "Adam with the largest recent gradient",
      "local w = nn.Parameter(tide.tensor{1.0}); " ..
        "local adamax = optim.Adamax({w}, {lr = 0.1}); (w * 5):sum():backward(); " ..
        "adamax:step(); w --> {0.9}"},
    {"LBFGS", "(...)",
      "Newton's method with guessed curvature; step(closure) computes gradients anew and waits",
      "local w = nn.Parameter(tide.tensor{1.0}); local lbfgs = optim.LBFGS({w}); " ..
        "lbfgs:step(function() lbfgs:zero_grad(); local loss = (w - 3):square():sum(); " ..
        "loss:backward(); return loss end); w --> {3.0}"},
    {"NAdam", "(...)", "Adam with Nesterov's look ahead",
      "local w = nn.Parameter(tide.tensor{1.0}); " ..
        "local nadam = optim.NAdam({w}, {lr = 0.1}); (w * 5):sum():backward(); nadam:step(); " ..
        "w --> {0.8944}"},
    {"RAdam", "(...)", "Adam that waits with its scaling until it can be relied on",
      "local w = nn.Parameter(tide.tensor{1.0}); " ..
        "local radam = optim.RAdam({w}, {lr = 0.1}); (w * 5):sum():backward(); radam:step(); " ..
        "w --> {0.5}"},
    {"RMSprop", "(...)", "Steps divided by the root of a running mean of squared gradients",
      "local w = nn.Parameter(tide.tensor{1.0}); " ..
        "local rmsprop = optim.RMSprop({w}, {lr = 0.1}); (w * 5):sum():backward(); " ..
        "rmsprop:step(); w --> {0.0}"},
    {"Rprop", "(...)", "Step sizes of their own that grow while the gradient keeps its sign",
      "local w = nn.Parameter(tide.tensor{1.0}); " ..
        "local rprop = optim.Rprop({w}, {lr = 0.1}); (w * 5):sum():backward(); rprop:step(); " ..
        "w --> {0.9}"},
    {"lr_scheduler", "", "Plans for the learning rate: see tide.optim.lr_scheduler.NAME",
      "optim.lr_scheduler.StepLR ~= nil --> true"},
  },
  {
    title = "Methods of optimizers",
    prefix = "optimizer:",
    {"step", "(closure?)",
      "Updates all parameters that have a gradient; never waits. Returns what closure() gives",
      "local w = nn.Parameter(tide.tensor{1.0}); local sgd = optim.SGD({w}, {lr = 0.1}); " ..
        "(w * 5):sum():backward(); sgd:step(); w --> {0.5}"},
    {"zero_grad", "()", "Drops all gradients",
      "local w = nn.Parameter(tide.ones(1)); w:sum():backward(); " ..
        "optim.SGD({w}, {lr = 0.1}):zero_grad(); w.grad"},
    {"add_param_group", "(group)", "Adds parameters with options of their own",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 0.1}); " ..
        "sgd:add_param_group({params = {nn.Parameter(tide.ones(1))}, lr = 0.2}); " ..
        "#sgd.param_groups --> 2"},
    {"register_step_pre_hook", "(fn)", "Calls fn(optimizer, closure) before each step",
      "local n = 0; local sgd = optim.SGD({nn.Parameter(tide.ones(1))}); " ..
        "sgd:register_step_pre_hook(function() n = n + 1 end); sgd:step(); n --> 1"},
    {"register_step_post_hook", "(fn)", "Calls fn(optimizer, closure) after each step",
      "local n = 0; local sgd = optim.SGD({nn.Parameter(tide.ones(1))}); " ..
        "sgd:register_step_post_hook(function() n = n + 1 end); sgd:step(); n --> 1"},
    {"state_dict", "()", "The state as a table of plain values and tensors, to be saved",
      "optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 0.1}):state_dict().param_groups[1].lr " ..
        "--> 0.1"},
    {"load_state_dict", "(state)",
      "Takes over a saved state, also one of PyTorch for the same kind of optimizer (see tide.load_torch)",
      "local w = nn.Parameter(tide.ones(1)); " ..
        "local a, b = optim.SGD({w}, {lr = 0.1}), optim.SGD({w}, {lr = 0.2}); " ..
        "b:load_state_dict(a:state_dict()); b.param_groups[1].lr --> 0.1"},
  },
  {
    title = "Plans for the learning rate",
    prefix = "tide.optim.lr_scheduler.",
    {"LRScheduler", "(optimizer, last_epoch?)",
      "The base of all plans: define rate(i, base, now); step() after optimizer:step()",
      [[local Half = tide.class("Half", optim.lr_scheduler.LRScheduler); ]] ..
        "function Half:rate(i, base, now) return base / 2 end; " ..
        "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1}); Half(sgd); " ..
        "sgd.param_groups[1].lr --> 0.5"},
    {"StepLR", "(...)", "Times gamma every step_size steps",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.StepLR(sgd, 2); sgd:step(); plan:step(); " ..
        "sgd.param_groups[1].lr --> 1"},
    {"MultiStepLR", "(...)", "Times gamma at each of a list of steps",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.MultiStepLR(sgd, {2, 4}); sgd:step(); plan:step(); " ..
        "sgd.param_groups[1].lr --> 1"},
    {"ExponentialLR", "(...)", "Times gamma every step",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.ExponentialLR(sgd, 0.9); sgd:step(); plan:step(); " ..
        "sgd.param_groups[1].lr --> 0.9"},
    {"ConstantLR", "(...)", "Times a factor for the first steps",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.ConstantLR(sgd, {total_iters = 2}); sgd:step(); " ..
        "plan:step(); sgd.param_groups[1].lr --> 0.3333"},
    {"LinearLR", "(...)", "A factor that changes evenly",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.LinearLR(sgd, {total_iters = 4}); sgd:step(); " ..
        "plan:step(); sgd.param_groups[1].lr --> 0.5"},
    {"PolynomialLR", "(...)", "Down to 0 by a power",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.PolynomialLR(sgd, {total_iters = 4}); sgd:step(); " ..
        "plan:step(); sgd.param_groups[1].lr --> 0.75"},
    {"CosineAnnealingLR", "(...)", "Half a cosine down, then up again",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.CosineAnnealingLR(sgd, 4); sgd:step(); plan:step(); " ..
        "sgd.param_groups[1].lr --> 0.8536"},
    {"CosineAnnealingWarmRestarts", "(...)", "Half a cosine down, then from the top again",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, 4); sgd:step(); " ..
        "plan:step(); sgd.param_groups[1].lr --> 0.8536"},
    {"LambdaLR", "(...)", "The first rate times lr_lambda(step)",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); local " ..
        "plan = optim.lr_scheduler.LambdaLR(sgd, function(step) return 1 / (1 + step) end); " ..
        "sgd:step(); plan:step(); sgd.param_groups[1].lr --> 0.5"},
    {"MultiplicativeLR", "(...)", "The rate before times lr_lambda(step)",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); local " ..
        "plan = optim.lr_scheduler.MultiplicativeLR(sgd, function(step) return 0.5 end); " ..
        "sgd:step(); plan:step(); sgd.param_groups[1].lr --> 0.5"},
    {"OneCycleLR", "(...)", "One rise and a long fall, the momentum against it",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.OneCycleLR(sgd, 1, {total_steps = 10}); sgd:step(); " ..
        "plan:step(); sgd.param_groups[1].lr --> 0.52"},
    {"CyclicLR", "(...)", "Up and down again and again, the momentum against it",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1, momentum = 0.9}); " ..
        "local plan = optim.lr_scheduler.CyclicLR(sgd, 0.1, 1); sgd:step(); plan:step(); " ..
        "sgd.param_groups[1].lr --> 0.1005"},
    {"SequentialLR", "(...)", "One plan after the other",
      "local plans, sgd = optim.lr_scheduler, optim.SGD({nn.Parameter(tide.ones(1))}, {lr = " ..
        "1}); local plan = plans.SequentialLR(sgd, {plans.ConstantLR(sgd), plans.StepLR(sgd, " ..
        "5)}, {2}); sgd:step(); plan:step(); sgd.param_groups[1].lr --> 0.3333"},
    {"ChainedScheduler", "(schedulers)", "Several plans at once",
      "local plans, sgd = optim.lr_scheduler, optim.SGD({nn.Parameter(tide.ones(1))}, {lr = " ..
        "1}); local plan = plans.ChainedScheduler{plans.ExponentialLR(sgd, 0.5), " ..
        "plans.StepLR(sgd, 5)}; sgd:step(); plan:step(); sgd.param_groups[1].lr --> 0.5"},
    {"ReduceLROnPlateau", "(...)", "Lowers the rate when step(figure) sees no progress",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1}); " ..
        "local plan = optim.lr_scheduler.ReduceLROnPlateau(sgd, {patience = 0}); " ..
        "plan:step(5); plan:step(6); sgd.param_groups[1].lr --> 0.1"},
  },
  {
    title = "Means of models",
    prefix = "tide.optim.swa_utils.",
    {"AveragedModel", "(...)",
      "A copy of a model whose parameters are means: averaged:update_parameters(model)",
      "local net = nn.Linear(1, 1); local mean = optim.swa_utils.AveragedModel(net); " ..
        "mean:update_parameters(net); mean.n_averaged --> 1"},
    {"SWALR", "(...)", "From the rate that stands to another, where it stays",
      "local sgd = optim.SGD({nn.Parameter(tide.ones(1))}, {lr = 1}); " ..
        "local plan = optim.swa_utils.SWALR(sgd, 0.5, {anneal_epochs = 2}); sgd:step(); " ..
        "plan:step(); sgd.param_groups[1].lr --> 0.75"},
    {"get_ema_avg_fn", "(decay?)", "For AveragedModel: a mean that forgets",
      "optim.swa_utils.get_ema_avg_fn(0.75)(4.0, 8.0) --> 5.0"},
    {"get_ema_multi_avg_fn", "(decay?)",
      "For AveragedModel: a mean that forgets, of lists of tensors",
      "local means = {tide.tensor(4.0)}; " ..
        "optim.swa_utils.get_ema_multi_avg_fn(0.75)(means, {tide.tensor(8.0)}); means[1] --> 5.0"},
    {"get_swa_multi_avg_fn", "()", "For AveragedModel: the mean of all, of lists of tensors",
      "local means = {tide.tensor(4.0)}; " ..
        "optim.swa_utils.get_swa_multi_avg_fn()(means, {tide.tensor(8.0)}, 1); means[1] --> 6.0"},
    {"update_bn", "(...)",
      "Computes the running statistics of batch norms anew, as means over the batches",
      "local net = nn.BatchNorm1d(1); " ..
        "optim.swa_utils.update_bn({tide.tensor{{1.0}, {3}}, tide.tensor{{3.0}, {5}}}, net); " ..
        "net.running_mean --> {3.0}"},
    {"get_swa_avg_fn", "()", "For AveragedModel: the mean of all",
      "optim.swa_utils.get_swa_avg_fn()(4.0, 8.0, 1) --> 6.0"},
  },
}
