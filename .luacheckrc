-- What luacheck looks for in `tests/run lint`.
std = "lua54"
max_line_length = false
exclude_files = {"tests/errors", "build"} -- scripts that must fail
only = {"0..", "11.", "211", "213", "221", "314", "32.", "331", "411", "511", "521", "53.", "541", "551", "561", "571"}
ignore = {"211/_.*", "112"}
files["scripts/lessons"] = {globals = {"tide", "nn", "optim"}}
files["scripts/bench"] = {globals = {"tide"}}
files["tests"] = {ignore = {"11.", "411"}} -- a test is as a prompt: all names there are
files["scripts/lessons"] = {ignore = {"11.", "411"}}
