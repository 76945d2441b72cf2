-- The reference of loggers.

--- An example with a folder of its own, which is removed: what `code` calls x is shown.
local function with_folder(code, shown)
  return "local folder = os.tmpname(); os.remove(folder); " .. code ..
    [[; os.execute("rm -r '" .. folder .. "'"); x --> ]] .. shown
end

--- An example that shows what `code` makes of x, the first event that a call of a SummaryWriter writes.
local function written(call, code, shown)
  return with_folder("local writer = tide.loggers.SummaryWriter(folder); writer:" .. call .. "; writer:close(); " ..
    "local x = tide.loggers.read_events(writer.path)[1]; x = " .. code, shown)
end

--- An example that shows the expression `x` after a call of a CSVLogger.
local function logged(call, x, shown)
  return with_folder("local logger <close> = tide.loggers.CSVLogger(folder); logger:" .. call .. "; local x = " .. x,
    shown)
end

local kText = [[io.open(logger.path):read "a"]]

return {
  {
    title = "Loggers",
    prefix = "tide.loggers.",
    {"read_events", "(path)",
      "A list of {step, tag, value, wall_time} of a file of events; a text if the last record is cut short. A " ..
        "damaged record is an error",
      written("add_scalar(\"loss\", 0.5, 3)", "x.step", "3")},
  },
  {
    title = "Methods of loggers",
    prefix = "logger:",
    {"log_metrics", "(metrics, step?)",
      "Logs numbers, or tensors of one value, by name. Without a step it is the next (CSV), or 0",
      logged("log_metrics({loss = 0.5, accuracy = tide.tensor(0.25)}, 1); logger:save()", kText,
        [["accuracy,loss,step\
0.25,0.5,1\
"]])},
    {"log_hyperparams", "(values)",
      "Logs settings to hparams.yaml, those of inner tables by \"outer/inner\"; TensorBoard has a table of them",
      logged([[log_hyperparams({lr = 0.1, model = {layers = 2}})]],
        [[io.open(logger.log_dir .. "/hparams.yaml"):read "a"]], [["lr: 0.1\
model/layers: 2\
"]])},
    {"save", "()", "Writes all that was logged, which reads its tensors",
      logged("log_metrics({loss = 0.5}, 1); logger:save()", kText, [["loss,step\
0.5,1\
"]])},
    {"flush", "()", "As save", logged("log_metrics({loss = 0.5}, 1); logger:flush()", kText, [["loss,step\
0.5,1\
"]])},
    {"close", "()", "Writes all that was logged and ends the logger; a local <close> does so by itself",
      logged("log_metrics({loss = 0.5}, 1); logger:close()", kText, [["loss,step\
0.5,1\
"]])},
  },
  {
    title = "Methods of loggers for TensorBoard",
    prefix = "logger:",
    {"add_scalar", "(tag, value, step?)", "Logs a number, or a tensor of one value, as float32",
      written("add_scalar(\"loss\", tide.tensor(0.5), 3)", "x.value", "0.5")},
    {"add_scalars", "(main_tag, values, step?)",
      "Logs numbers by name, drawn in one figure: each has a folder of its own",
      with_folder([[local writer = tide.loggers.SummaryWriter(folder); ]] ..
        [[writer:add_scalars("loss", {train = 0.5, test = 0.75}, 3); writer:close(); ]] ..
        [[local x = os.rename(folder .. "/loss_train", folder .. "/loss_train")]], "true")},
    {"add_text", "(tag, text, step?)", "Logs a text, shown as Markdown",
      written([[add_text("note", "as *before*", 3)]], "x.value", [["as *before*"]])},
    {"add_histogram", "(tag, values, step?, bins?)",
      "Logs how often the finite values occur, in TensorFlow's buckets or in this number of equal ones",
      written([[add_histogram("weights", tide.tensor{1.0, 2, 2}, 3, 2)]],
        "x.value.bucket", "{0.0, 1.0, 2.0}")},
    {"add_image", "(tag, image, step?, format?)",
      "Logs a picture of bytes, or of floats from 0 to 1; format: CHW (default), HWC or HW",
      written([[add_image("digit", tide.ones(1, 3, 5), 3)]], "x.value.width", "5")},
  },
}
