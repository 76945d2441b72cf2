-- The kernel of notebooks, under Jupyter's own clients, and the lessons as notebooks.
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local shell = dofile(here .. "/../package/support/shell.lua")
local describe, it, equal, is_true = test.describe, test.it, test.same_type, test.is_true

local tide_program = shell.build .. "/tide"

--- Leaves the test where there is no kernel.
local function need_kernel()
  if not io.open(shell.build .. "/tide-jupyter.so") then test.pending "needs xeus-dev" end
end

--- A Python that has the modules: the one on the path, or Debian's. Leaves the test if there is none.
local function need_python(...)
  need_kernel()
  local modules = table.concat({...}, ", ")
  for _, python in ipairs {"python3", "/usr/bin/python3"} do
    if os.execute(("%s -c 'import %s' >/dev/null 2>&1"):format(python, modules)) then return python end
  end
  test.pending("needs Python's " .. modules)
end

--- Runs a command where Jupyter knows no kernel but this build's.
local function run(command)
  local folder = shell.temporary_folder()
  return shell.run(([[export JUPYTER_DATA_DIR='%s/data' JUPYTER_CONFIG_DIR='%s' JUPYTER_RUNTIME_DIR='%s/run' &&
    export JUPYTER_PREFER_ENV_PATH=0 &&
    unset JUPYTER_PATH && '%s' jupyter install && %s]]):format(folder, folder, folder, tide_program, command))
end

describe("tide jupyter", function()
  it("puts a kernel in place, and removes it", function()
    need_kernel()
    local folder = shell.temporary_folder()
    local place = folder .. "/share/jupyter/kernels/tide"
    equal(shell.run(("'%s' jupyter install --prefix '%s'"):format(tide_program, folder)),
      ("the kernel tide is in %s\n"):format(place))
    local spec = assert(io.open(place .. "/kernel.json")):read "a"
    is_true(spec:find(('"%s"'):format(tide_program), 1, true), spec)
    is_true(spec:find('"interrupt_mode": "signal"', 1, true), spec)
    shell.run(("'%s' jupyter uninstall --prefix '%s'"):format(tide_program, folder))
    equal(shell.run(("ls '%s/share/jupyter/kernels'"):format(folder)), "")
    is_true(not os.execute(("'%s' jupyter uninstall --prefix '%s' 2>/dev/null"):format(tide_program, folder)))
  end)

  it("puts it where Jupyter looks for the user's", function()
    need_kernel()
    local folder = shell.temporary_folder()
    shell.run(("env -u JUPYTER_DATA_DIR XDG_DATA_HOME='%s/x' '%s' jupyter install"):format(folder, tide_program))
    shell.run(("test -f '%s/x/jupyter/kernels/tide/kernel.json'"):format(folder))
    shell.run(("env -u JUPYTER_DATA_DIR -u XDG_DATA_HOME HOME='%s' '%s' jupyter install --user")
      :format(folder, tide_program))
    shell.run(("test -f '%s/.local/share/jupyter/kernels/tide/logo-svg.svg'"):format(folder))
    shell.run(("VIRTUAL_ENV='%s/env' '%s' jupyter install --sys-prefix"):format(folder, tide_program))
    shell.run(("test -f '%s/env/share/jupyter/kernels/tide/kernel.json'"):format(folder))
  end)
end)

describe("the kernel of notebooks", function()
  it("passes Jupyter's tests, and those of its promises", function()
    local python = need_python "jupyter_kernel_test"
    run(("%s '%s/kernel_test.py'"):format(python, here))
  end)

  it("runs every lesson", function()
    local python = need_python("nbconvert", "nbformat")
    local numbers = {}
    for number in shell.run(("'%s' lesson"):format(tide_program)):gmatch "%f[^\n\0](%d+)_" do
      numbers[#numbers + 1] = number
    end
    is_true(#numbers >= 26)
    run(("%s '%s/lessons.py' '%s' %s"):format(python, here, tide_program, table.concat(numbers, " ")))
  end)
end)
