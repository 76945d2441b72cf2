// The `tide` program: finds the subcommand and passes it the remaining arguments.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "bindings/module.h"
#include "interpreter/commands/commands.h"
#include "interpreter/run/state.h"
#include "interpreter/version.h"

namespace {

struct Command {
  std::string_view name;
  int (*start)(const tide::Words& words);
  const char* usage;
};

constexpr char kMainUsage[] =
    R"(usage: tide [options] [FILE [args]]   the prompt, or a script
       tide run FILE [options] [args] a script, with a device, a seed or a report of its waits
       tide test [PATH...]            the tests below the paths
       tide lesson [N | name]         list the lessons, or go through one
       tide bench [NAME...]           the benchmark workloads
       tide info                      the devices and libraries found
       tide smi [dmon [--chart]]      a table of devices; dmon: one line per second, or a chart
       tide help [NAME]               the reference
       tide manual FOLDER             the reference as pages in Markdown
       tide jupyter install           a kernel for Jupyter's notebooks
Options of the first form, like those of lua:
  -e TEXT   run the text             -l NAME   require a module into a global
  -i        prompt after the script, even one that failed
  -v        show the versions        -W        turn warnings on
  -E        ignore LUA_INIT, LUA_PATH and LUA_CPATH
  --        end of options           -         run standard input
  --device D  where the prompt creates tensors: cpu, sim, sim:1, cuda, ...
  --sandbox, --scratch, --time-limit, --memory-limit, --binary-chunks: see tide run --help
Arguments after FILE are passed to the script. If the script uses neither ... nor arg nor tide.args,
and so cannot read them, an option of `tide run` there is an error.
`tide COMMAND --help` describes a command.
)";

constexpr Command kCommands[] = {
    {"run", tide::run_command,
     R"(usage: tide run FILE [options] [args] [-- more args]
Runs a script. Options may precede or follow FILE; all other words are arguments of the script. Put
the script's own options, including any named like an option below, after --: an unknown option
before it is an error.
  --device D   the default device for new tensors, and the result of tide.accelerator():
               cpu, sim, sim:1, cuda, ...
  --seed N     seed the random number generators, like tide.manual_seed(N)
  --syncs      at the end, print where the script waited, how often, how long and for what
  --profile F  write a profile to F: a page with a timeline (.html), or a Perfetto trace (.json)
  --profile-lines     at the end, print where the time went, by line
  --advise     at the end, print how to make the script faster, by line
  --sandbox    run an untrusted script: it can read only files in its own folder, write only files
               in tide.scratch(), and start no processes (docs/sandbox.md)
  --scratch F  use folder F as tide.scratch() and keep it
  --time-limit S      stop the script after S seconds, with exit status 124
  --memory-limit N    limit Lua and tensors in host memory to N bytes (also 512M, 2G); exceeding it
                      raises an ordinary error
  --binary-chunks     also load bytecode from string.dump, which Lua does not verify
)"},
    {"test", tide::test_command,
     R"(usage: tide test [PATH...] [options]
Runs each *_test.lua and *_spec.lua below the paths (default: tests/scripts) in a separate process,
which is killed with all its child processes at the end. busted's functions are globals (describe,
it, setup, spy, assert.are.equal, ...). A folder with a runner.lua is one test program. Finding no
tests is a failure.
  --filter P    only tests whose name matches the Lua pattern P
  --tag T       only tests with #T in their name (repeatable)
  --watch       run again when a file below the paths or loaded by the tests changes
  --device D    only on device D (repeatable)
  --jobs N      run up to N processes in parallel
  --timeout S   time limit per file in seconds (default: 300)
  --junit F     write the results to the file F as JUnit XML
  --list        list the tests without running them
)"},
    {"lesson", tide::lesson_command,
     R"(usage: tide lesson [N | name] [--all | --show | --exercises | --answers] [--notebook] [args]
       tide lesson N | name --html [FILE] [args]
Without a name: lists the lessons. With one: goes through its text, its code and the code's output.
In a terminal, Enter continues to the next screen, and Lua that you type is run. The arguments are
passed to the lesson.
  --all          do not stop at the sections
  --show         print the lesson's script
  --exercises    print a script of functions to complete, with checks that report which are
                 solved
  --answers      print answers to its exercises, as a runnable script
  --notebook     print the lesson, or its exercises or answers, as a Jupyter notebook
  --html [FILE]  run the lesson, and write a page with its output, figures and answers
)"},
    {"bench", tide::bench_command,
     R"(usage: tide bench [NAME...] [--json] [--beside PEER]
Runs the benchmark workloads, all or those named.
)"},
    {"info", tide::info_command,
     R"(usage: tide info [--measure]
Prints the devices and libraries found on this machine and the size of the kernel cache: compiled
kernels are kept in TIDE_CACHE_DIR (default: ~/.cache/tide), at most TIDE_CACHE_LIMIT bytes (64M).
  --measure   measure the peak performance of the devices, for profiles; takes some seconds
)"},
    {"smi", tide::smi_command,
     R"(usage: tide smi [dmon [TIMES] [--chart]]
A table of the devices; with dmon, one line per second for each until interrupted: its utilization,
the memory in use, and the ops queued by the user's processes.
  --chart     draw curves instead of lines if standard output is a terminal
)"},
    {"help", tide::help_command,
     R"(usage: tide help [NAME]
       tide help --search WORD...
Shows the reference of NAME, such as tide.matmul, or of a topic, such as nn, optim, F, data or
vision. --search finds words in the entire reference. Text longer than the screen is shown with
$PAGER, else less.
)"},
    {"manual", tide::manual_command,
     R"(usage: tide manual FOLDER [--html]
       tide manual --luals FILE
Writes the reference to a folder, one Markdown page per group of names. With --html, writes a static
site with the reference, the documents, a search, and the lessons, which are run to show their
output. With --luals, writes annotations for the Lua language server.
)"},
    {"jupyter", tide::jupyter_command,
     R"(usage: tide jupyter install | uninstall [--user | --prefix P | --sys-prefix]
Installs tide as a kernel for Jupyter notebooks, or removes it.
  --user        in the user's folder: JUPYTER_DATA_DIR, or ~/.local/share/jupyter (the default)
  --prefix P    in P/share/jupyter
  --sys-prefix  in the active environment: VIRTUAL_ENV or CONDA_PREFIX
)"},
    {"--test-worker", tide::test_worker_command, ""},
    {"--lesson-recorder", tide::lesson_recorder_command, ""},
    {tide::kProcessCommand, tide::process_command, ""},
};

int start(const Command* command, const tide::Words& words) {
  const char* usage = command ? command->usage : kMainUsage;
  // bench parses its arguments in Lua; --help is handled here for all commands.
  if (!words.empty() && words[0] == "--help") return std::fputs(usage, stdout) < 0;
  try {
    return command ? command->start(words) : tide::lua_command(words);
  } catch (const tide::UsageError& error) {
    std::fprintf(stderr, "%s: %s\n%s", tide::program_name, error.message.c_str(), usage);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: out of memory on the host\n", tide::program_name);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", tide::program_name, error.what());
  }
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
  // Makes a write past the file size limit fail like one to a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  tide::open_states_for_threads();
  tide_set_process_command(tide::kProcessCommand);
  tide_follow_coroutines();
  if (count > 0 && *arguments[0]) tide::program_name = arguments[0];
  tide::Words words(arguments + (count > 0), arguments + count);
  const Command* found = nullptr;
  for (const Command& command : kCommands) {
    if (!words.empty() && words[0] == command.name) found = &command;
  }
  if (found) words.erase(words.begin());
  return tide::with_output_written(start(found, words));
}
