"""Jupyter's own tests of a kernel, and those of what tide promises beyond."""

import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import jupyter_kernel_test
from jupyter_client.manager import start_new_kernel

LONGEST = 60  # seconds that a reply may take on a busy machine
FIGURE = "image/svg+xml" if shutil.which("gnuplot") else "text/plain"
FULL_QUEUE = """
local x = tide.rand(400, 400, {device = "sim"})
print "queueing"
for i = 1, 100000 do x = x:matmul(x) / 400 end
x:sum():item()"""


class ProtocolTests(jupyter_kernel_test.KernelTests):
    kernel_name = "tide"
    language_name = "lua"
    file_extension = ".lua"
    code_hello_world = "print 'hello, world'"
    code_stderr = "io.stderr:write 'oops\\n'"
    completion_samples = [
        {"text": "tide.matm", "matches": {"matmul"}},
        {"text": "local y = string.for", "matches": {"format"}},
        {"text": "-- it's a comment\nlocal y = string.for", "matches": {"format"}},
        {"text": "%histo", "matches": {"history"}},
    ]
    complete_code_samples = ["1 + 1", "local x = 3", "for i = 1, 3 do print(i) end", "%device", ""]
    incomplete_code_samples = ["for i = 1, 3 do", "x = {", "print('a' .."]
    invalid_code_samples = ["x = = 3", "end"]
    code_page_something = "?tide.matmul"
    code_generate_error = "error 'no'"
    code_execute_result = [
        {"code": "1 + 2", "result": "3"},
        {"code": "'a' .. 'b'", "result": "ab"},
        {"code": "tide.ones(2)", "result": "tensor([1., 1.]) (2) float32 cpu"},
        {"code": "tide.ones(2, 3)", "mime": "text/html"},
        {"code": "1 + 2 + 3", "result": "6"},
        {"code": "1 + 2 - 3", "result": "0"},
    ]
    code_display_data = [
        {"code": "tide.display(tide.ones(2, 3))", "mime": "text/html"},
        {"code": "tide.display(tide.zeros({3, 20, 20}, {dtype = 'uint8'}))", "mime": "image/png"},
        {
            "code": "tide.display(setmetatable({}, {__index = {svg = function() return '<svg/>' end}}))",
            "mime": "image/svg+xml",
        },
        {"code": "tide.plot.line({1, 4, 9}):show()", "mime": FIGURE},
    ]
    code_history_pattern = "1 ? 2"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "tide.matmul"
    code_clear_output = "tide.display('x', {clear = true})"


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class KernelCase(unittest.TestCase):
    """A kernel for each test, and what came of an input."""

    def setUp(self):
        self.manager, self.client = start_new_kernel(kernel_name="tide")

    def tearDown(self):
        self.client.stop_channels()
        if self.manager.is_alive():
            self.manager.shutdown_kernel()

    def outputs(self, request, until=None):
        """The messages of a request, to its end or to text that contains `until`."""
        found = []
        while True:
            message = self.client.get_iopub_msg(timeout=LONGEST)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                return found
            if kind not in ("status", "execute_input"):
                found.append((kind, content))
            if until and until in content.get("text", ""):
                return found

    def run_input(self, code, **options):
        request = self.client.execute(code, **options)
        outputs = self.outputs(request)
        return self.client.get_shell_msg(timeout=LONGEST)["content"], outputs

    def result(self, code, **options):
        reply, outputs = self.run_input(code, **options)
        self.assertEqual(reply["status"], "ok", reply)
        return [content["data"]["text/plain"] for kind, content in outputs if kind == "execute_result"]

    def printed(self, code, stream="stdout"):
        outputs = self.run_input(code)[1]
        return "".join(c["text"] for kind, c in outputs if kind == "stream" and c["name"] == stream)


class SessionTests(KernelCase):
    def test_locals_and_results_stay(self):
        self.assertEqual(self.result("local a = 20\na * 2"), ["40"])
        self.assertEqual(self.result("a + _ + _1"), ["100"])

    def test_commands_stand_between_lua(self):
        reply, outputs = self.run_input("%device sim\nlocal x = tide.ones(2)\n%time x:sum():item()\nx.device")
        self.assertEqual([kind for kind, _ in outputs], ["display_data", "stream", "display_data", "execute_result"])
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "sim:0")
        reply = self.run_input("%device cpu\n\nnil + 1")[0]
        self.assertEqual(reply["evalue"], "In [2]:3: attempt to perform arithmetic on a nil value")

    def test_errors_name_the_line(self):
        reply, outputs = self.run_input("local function f(x)\n  return x.y.z\nend\nf{}")
        self.assertEqual(reply["ename"], "Error")
        self.assertTrue(reply["evalue"].startswith("In [1]:2: attempt to index a nil value (field 'y')"), reply)
        self.assertIn("\tIn [1]:4: in main chunk", reply["traceback"])
        self.assertEqual([kind for kind, _ in outputs], ["error"])
        self.assertEqual(self.run_input("x = = 1")[0]["ename"], "SyntaxError")

    def test_output_comes_in_order_and_whole(self):
        code = "for i = 1, 20000 do print(i) end\nos.execute 'echo from a process'\nio.write 'ä'"
        text = self.printed(code + "\nx = 1")
        self.assertEqual(text, "".join(f"{i}\n" for i in range(1, 20001)) + "from a process\nä")
        self.assertEqual(self.printed("io.stderr:write 'a\\xff'", "stderr"), "a\ufffd")

    def test_output_between_inputs_waits(self):
        self.result("talker = tide.thread(function() tide.sleep(0.2) print 'late' end)")
        time.sleep(1)
        self.assertEqual(self.printed("talker:join()"), "late\n")

    def test_a_tensor_is_a_table_with_positions(self):
        data = self.run_input("tide.arange(1200):reshape(60, 20)")[1][0][1]["data"]["text/html"]
        self.assertIn("<tr><th></th><th>1</th><th>2</th><th>3</th><th></th><th>18</th>", data)
        self.assertIn("<tr><th>60</th><td>1180</td>", data)
        self.assertIn("(60, 20) int64 cpu", data)

    def test_objects_bring_their_forms(self):
        code = """setmetatable({}, {__mimebundle = function()
          return {["text/html"] = "<b>x</b>", ["application/json"] = '{"a": [1]}', ["image/png"] = "\\0\\1"}
        end})"""
        data = self.run_input(code)[1][0][1]["data"]
        self.assertEqual(data["text/html"], "<b>x</b>")
        self.assertEqual(data["application/json"], {"a": [1]})
        self.assertEqual(data["image/png"], "AAE=")

    def test_a_picture_says_its_size_to_those_who_do_not_see_it(self):
        content = self.run_input("tide.zeros({3, 20, 30}, {dtype = 'uint8'})")[1][0][1]
        self.assertEqual(content["metadata"], {"image/png": {"alt": "image of 30 x 20 pixels"}})

    def test_a_network_is_shown_by_its_layers(self):
        self.assertEqual(self.result("nn.Sequential(nn.Linear(2, 3), nn.ReLU())"),
                         ["Sequential(\n  [1]: Linear(2 -> 3)\n  [2]: ReLU()\n)"])

    def test_assertions_that_hold_show_nothing(self):
        self.assertEqual(self.result("assert(1 == 1)"), [])
        self.assertEqual(self.result("local x = 1\nassert(x == 1)"), [])
        self.assertEqual(self.run_input("assert(false, 'no')")[0]["evalue"], "In [3]:1: no")

    def test_progress_is_a_line_that_changes_in_its_place(self):
        outputs = self.run_input("for i in tide.progress(3) do tide.sleep(0.4) end")[1]
        self.assertEqual([kind for kind, _ in outputs][0], "display_data")
        self.assertEqual({kind for kind, _ in outputs[1:]}, {"update_display_data"})
        self.assertTrue(outputs[-1][1]["data"]["text/plain"].startswith("100%  3/3"), outputs)

    def test_a_curve_that_grows_is_drawn_in_its_place(self):
        code = """local live = tide.plot.live()
        for step = 1, 4 do
          tide.sleep(0.3)
          live:add(step, tide.tensor(1 / step))
          tide.synchronize()
        end
        local figure = live:close()"""
        outputs = self.run_input(code)[1]
        kinds = [kind for kind, _ in outputs]
        self.assertEqual(kinds[0], "display_data")
        self.assertEqual(set(kinds[1:]), {"update_display_data"})
        self.assertEqual(len({content["transient"]["display_id"] for _, content in outputs}), 1)
        self.assertTrue(all(FIGURE in content["data"] for _, content in outputs), outputs)
        others = self.run_input(code)[1]
        self.assertNotEqual(others[0][1]["transient"], outputs[0][1]["transient"])

    def test_names_are_found_after_letters_of_several_bytes(self):
        self.client.complete("s = 'äöü' tide.matm", 19)
        reply = self.client.get_shell_msg(timeout=LONGEST)["content"]
        self.assertEqual((reply["matches"], reply["cursor_start"], reply["cursor_end"]), (["matmul"], 15, 19))

    def test_help_on_a_function_whose_arguments_are_typed(self):
        self.client.inspect("y = tide.matmul(a, ", 19)
        reply = self.client.get_shell_msg(timeout=LONGEST)["content"]
        self.assertIn("matmul(x, other", reply["data"]["text/plain"])
        self.client.inspect("no_such_name", 4)
        self.assertFalse(self.client.get_shell_msg(timeout=LONGEST)["content"]["found"])

    def test_a_next_line_is_indented(self):
        self.client.is_complete("for i = 1, 2 do\n  f {")
        self.assertEqual(self.client.get_shell_msg(timeout=LONGEST)["content"]["indent"], "    ")


class RequestTests(KernelCase):
    def test_silent_inputs_leave_no_trace(self):
        self.assertEqual(self.result("7"), ["7"])
        reply, outputs = self.run_input("print 'x' tide.display(1)\n8", silent=True)
        self.assertEqual((reply["status"], reply["execution_count"], outputs), ("ok", 1, []))
        self.assertEqual(self.result("_"), ["7"])

    def test_inputs_that_are_not_stored(self):
        self.assertEqual(self.result("7"), ["7"])
        self.assertEqual(self.result("8", store_history=False), ["8"])
        reply, outputs = self.run_input("_")
        self.assertEqual((reply["execution_count"], outputs[0][1]["data"]["text/plain"]), (2, "7"))
        self.client.history(hist_access_type="tail", n=5)
        history = self.client.get_shell_msg(timeout=LONGEST)["content"]["history"]
        self.assertEqual([entry[1:] for entry in history], [[1, "7"], [2, "_"]])

    def test_user_expressions(self):
        values = self.run_input("x = 3", user_expressions={"a": "x + 1", "b": "x.y.z"})[0]["user_expressions"]
        self.assertEqual(values["a"]["data"]["text/plain"], "4")
        self.assertEqual((values["b"]["status"], values["b"]["ename"]), ("error", "Error"))

    def test_inputs_after_a_failed_one_are_aborted(self):
        codes = ["tide.sleep(0.5) error 'x'", "7", "8"]
        requests = [self.client.execute(code) for code in codes]
        info = self.client.kernel_info()
        statuses = {}
        for _ in range(4):
            reply = self.client.get_shell_msg(timeout=LONGEST)
            statuses[reply["parent_header"]["msg_id"]] = reply["content"]["status"]
        self.assertEqual([statuses[r] for r in requests + [info]], ["error", "aborted", "aborted", "ok"])
        self.assertEqual(self.outputs(requests[2]), [])  # It ends for the front end too.
        self.assertEqual(self.result("9"), ["9"])

    def test_a_failed_input_lets_the_next_ones_run_if_asked_to(self):
        requests = [self.client.execute(code, stop_on_error=False) for code in ("tide.sleep(0.3) error 'x'", "7")]
        statuses = [self.client.get_shell_msg(timeout=LONGEST)["content"]["status"] for _ in requests]
        self.assertEqual(statuses, ["error", "ok"])

    def test_input_is_asked_for(self):
        request = self.client.execute("local a, b = io.read('n', 'l')\nio.read('L') .. a .. b", allow_stdin=True)
        for line in ("12 x", "last"):
            self.assertEqual(self.client.get_stdin_msg(timeout=LONGEST)["content"], {"prompt": "", "pwd": False})
            self.client.input(line)
        self.assertEqual(self.outputs(request)[0][1]["data"]["text/plain"], "last\n12 x")

    def test_input_that_may_not_be_asked_for_is_at_its_end(self):
        reply, outputs = self.run_input("io.read()", allow_stdin=False)
        self.assertIn("does not support input", outputs[0][1]["text"])
        self.assertEqual(outputs[1][1]["data"]["text/plain"], "nil")


class InterruptTests(KernelCase):
    def interrupted(self, code, until, **options):
        """The reply to an input that is interrupted once it has printed a text, and what it took."""
        request = self.client.execute(code, **options)
        self.outputs(request, until)
        start = time.monotonic()
        self.manager.interrupt_kernel()
        reply = self.client.get_shell_msg(timeout=LONGEST)["content"]
        seconds = time.monotonic() - start
        self.assertEqual((reply["status"], reply["ename"]), ("error", "Interrupted"))
        self.assertEqual(self.result("6 * 7"), ["42"])
        return seconds

    def test_loops_queues_and_questions_end(self):
        self.interrupted("print 'looping' while true do end", "looping")
        self.interrupted("print 'looping' while true do pcall(error) end", "looping")
        self.interrupted("print 'printing' while true do print 'x' end", "printing")
        self.interrupted(FULL_QUEUE, "queueing")
        self.interrupted("print 'sleeping' tide.sleep(1000)", "sleeping")
        self.interrupted("print 'asking' while true do io.read() end", "asking", allow_stdin=True)

    def test_an_interrupt_between_inputs_is_forgotten(self):
        self.result("1")
        for _ in range(5):
            self.manager.interrupt_kernel()
        time.sleep(0.5)
        self.assertEqual(self.result("6 * 7"), ["42"])

    def test_impatience_does_not_end_the_kernel(self):
        request = self.client.execute("print 'in C' print(('a'):rep(30):find(('a*'):rep(30) .. 'b'))")
        self.outputs(request, "in C")
        for _ in range(5):
            self.manager.interrupt_kernel()
            time.sleep(0.1)
        self.assertTrue(self.manager.is_alive())


class EndTests(KernelCase):
    def wait_for_end(self):
        end = time.monotonic() + LONGEST
        while self.manager.is_alive() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(self.manager.is_alive())

    def test_restart(self):
        self.result("a = 5")
        self.manager.restart_kernel()
        self.client.wait_for_ready(timeout=LONGEST)
        self.assertEqual(self.result("a"), ["nil"])

    def test_shutdown(self):
        self.client.shutdown()
        self.assertEqual(self.client.get_control_msg(timeout=LONGEST)["content"]["restart"], False)
        self.wait_for_end()

    def test_the_end_of_jupyter_ends_a_kernel_that_waits_for_input(self):
        code = "\n".join([
            "import os, sys, time",
            "from jupyter_client.manager import start_new_kernel",
            "manager, client = start_new_kernel(kernel_name='tide')",
            "client.execute('io.read()', allow_stdin=True)",
            "client.get_stdin_msg(timeout=60)",
            "open(sys.argv[1], 'w').write(str(manager.provisioner.pid))",
            "os._exit(0)",
        ])
        with tempfile.NamedTemporaryFile("r") as file:
            subprocess.run([sys.executable, "-c", code, file.name], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            process = int(file.read())
        end = time.monotonic() + LONGEST
        while is_running(process) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse(is_running(process))

    def test_exit(self):
        reply = self.run_input("exit")[0]
        self.assertEqual(reply["payload"], [{"source": "ask_exit", "keepkernel": False}])
        self.wait_for_end()


if __name__ == "__main__":
    unittest.main()
