// The `tide` program: finds the subcommand and hands it the rest of the command line.
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
       tide run FILE [options] [args] a script, with a device, a seed or a count of its waits
       tide test [PATH...]            the tests below the paths
       tide lesson [N | name]         list the lessons, or go through one
       tide bench [NAME...]           the benchmark workloads
       tide info                      devices and libraries: what was found
       tide smi [dmon [--chart]]      a table of devices; dmon: a line a second, or a chart
       tide help [NAME]               the reference
       tide manual FOLDER             the reference as pages in Markdown
       tide jupyter install           a kernel for Jupyter's notebooks
Options of the first form, as lua's:
  -e TEXT   run the text             -l NAME   require a module into a global
  -i        prompt after the script, even one that failed
  -v        show the versions        -W        turn warnings on
  -E        ignore LUA_INIT, LUA_PATH and LUA_CPATH
  --        end of options           -         run standard input
  --device D  where the prompt creates tensors: cpu, sim, sim:1, cuda, ...
  --sandbox, --scratch, --time-limit, --memory-limit, --binary-chunks: see tide run --help
All words behind FILE are the script's. An option of `tide run` among them is an error if FILE uses
neither ... nor arg nor tide.args, and so cannot read it.
`tide COMMAND --help` says more about a command.
)";

constexpr Command kCommands[] = {
    {"run", tide::run_command,
     R"(usage: tide run FILE [options] [args] [-- more args]
Runs a script. Options stand before or behind FILE; other words are the script's arguments. Options
of the script's own, also one that is called like an option below, stand behind --: before it an
unknown one is an error.
  --device D   where tensors are created if no device is named, and what tide.accelerator()
               answers: cpu, sim, sim:1, cuda, ...
  --seed N     start the random numbers as tide.manual_seed(N) does
  --syncs      print at the end where the script waited, how often, how long and for what
  --profile F  write a profile to F: a page with a timeline (.html), or for Perfetto (.json)
  --profile-lines     print at the end where the time went, by line
  --advise     print at the end, by line, what would make the script faster
  --sandbox    for a script that need not be trusted: it reads the files of its own folder, writes
               those of tide.scratch(), and starts no process (docs/sandbox.md)
  --scratch F  make the folder F what tide.scratch() answers, and keep it
  --time-limit S      stop the script after S seconds, with exit status 124
  --memory-limit N    let Lua and tensors in the host's memory take N bytes (also 512M, 2G); beyond
                      that is an error like any other
  --binary-chunks     also load what string.dump writes; Lua does not check such code
)"},
    {"test", tide::test_command,
     R"(usage: tide test [PATH...] [options]
Runs each *_test.lua and *_spec.lua below the paths (default: tests/scripts) in a process of its own,
which is ended with all that it started. The files see busted's words as globals (describe, it,
setup, spy, assert.are.equal, ...). A folder with a runner.lua is one test program. To find no test
is a failure.
  --filter P    only tests whose name matches the Lua pattern P
  --tag T       only tests with #T in their name (may be given again)
  --watch       run again when a file changes: below the paths, or one that the tests loaded
  --device D    only on device D (may be given again)
  --jobs N      so many processes at once
  --timeout S   seconds a file may take (default: 300)
  --junit F     write the results to the file F as JUnit XML
  --list        name the tests and stop
)"},
    {"lesson", tide::lesson_command,
     R"(usage: tide lesson [N | name] [--all | --show | --exercises | --answers] [--notebook] [args]
       tide lesson N | name --html [FILE] [args]
Without a name: lists the lessons. With one: goes through it, text, code and what the code says;
at a terminal Enter goes on from screen to screen, and Lua that is typed there is run. The lesson
gets the arguments.
  --all          do not stop at the sections
  --show         print the lesson as the script that it is
  --exercises    print functions to complete, and checks of them, as a script that says what is
                 solved
  --answers      print answers to its exercises, as a script that can be run
  --notebook     print the lesson, or its exercises or answers, as a Jupyter notebook
  --html [FILE]  run the lesson, and write it as a page with its output, figures and answers
)"},
    {"bench", tide::bench_command,
     R"(usage: tide bench [NAME...] [--json] [--beside PEER]
Runs the benchmark workloads, all or those named.
)"},
    {"info", tide::info_command,
     "usage: tide info [--measure]\nSays what was found on this machine, and how full the kernel "
     "cache is: "
     "compiled kernels are\nkept in TIDE_CACHE_DIR (unless set: ~/.cache/tide), at most "
     "TIDE_CACHE_LIMIT bytes (64M).\n  --measure   measure what the devices can do at most, for "
     "profiles; takes some seconds\n"},
    {"smi", tide::smi_command,
     R"(usage: tide smi [dmon [TIMES] [--chart]]
A table of the devices; with dmon a line a second for each, until interrupted: its use, the memory
that is held of it, and the ops that processes of the user have queued.
  --chart     curves in place of lines, where standard output is a terminal
)"},
    {"help", tide::help_command,
     R"(usage: tide help [NAME]
       tide help --search WORD...
The reference of NAME, such as tide.matmul, or what there is on a topic, such as nn, optim, F, data
or vision. --search looks for words in all its texts. Text longer than the screen goes through
$PAGER, else less.
)"},
    {"manual", tide::manual_command,
     R"(usage: tide manual FOLDER [--html]
       tide manual --luals FILE
Writes the reference into a folder, a page in Markdown for each family of names; with --html as a
site that needs no server, with the lessons, which it runs for their output, the documents and a
search. Or writes annotations for editors that use the Lua language server.
)"},
    {"jupyter", tide::jupyter_command,
     R"(usage: tide jupyter install | uninstall [--user | --prefix P | --sys-prefix]
Lets notebooks run tide: puts a kernel of this program where Jupyter looks for it, or removes it.
  --user        in your own folder: JUPYTER_DATA_DIR, or ~/.local/share/jupyter (the default)
  --prefix P    below P/share/jupyter
  --sys-prefix  below the environment that is active: VIRTUAL_ENV or CONDA_PREFIX
)"},
    {"--test-worker", tide::test_worker_command, ""},
    {"--lesson-recorder", tide::lesson_recorder_command, ""},
    {tide::kProcessCommand, tide::process_command, ""},
};

int start(const Command* command, const tide::Words& words) {
  const char* usage = command ? command->usage : kMainUsage;
  // bench has its own reader, in Lua; but all commands answer --help alike.
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
  tide_keep_reserve();
  // A write past the limit on the size of files fails as one to a full disk does.
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
