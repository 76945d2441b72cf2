"""The page of a profile draws what the profile holds, in headless Chromium."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TIDE = os.environ.get("TIDE_PROGRAM", str(HERE.parents[1] / "build/release/tide"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PICTURES = None
SKIPPED = 77  # the exit status of a program that could not test


def browse(page, *options):
    """What Chromium prints for a page."""
    with tempfile.TemporaryDirectory() as home:
        words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 "--window-size=1400,800", "--virtual-time-budget=4000",
                 f"--user-data-dir={home}", *options, page.as_uri()]
        return subprocess.run(words, capture_output=True, text=True, timeout=120).stdout


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.page = cls.folder / "trace.html"
        cls.train(cls.page, 12)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @staticmethod
    def train(page, steps):
        subprocess.run([TIDE, "training.lua", page, str(steps)], check=True, cwd=HERE,
                       stdout=subprocess.DEVNULL)

    def probe(self, code, page=None):
        """The value of a JavaScript function's body, run once the page is loaded."""
        text = (page or self.page).read_text()
        text = text.replace("<script>", "<script>let wrong = []; "
                            "window.onerror = message => { wrong.push(message); };</script><script>", 1)
        text = text.replace("</body>", """<script>window.addEventListener("load", () => {
            let value = null;
            try { value = (() => { %s })(); } catch (error) { wrong.push(String(error)); }
            const answer = document.createElement("pre");
            answer.id = "answer";
            answer.textContent = JSON.stringify({value, wrong});
            document.body.append(answer);
        });</script></body>""" % code)
        copy = self.folder / "probe.html"
        copy.write_text(text)
        found = re.search(r'<pre id="answer">(.*?)</pre>', browse(copy, "--dump-dom"), re.S)
        self.assertIsNotNone(found, "the page has not loaded")
        answer = json.loads(html.unescape(found[1]))
        self.assertEqual(answer["wrong"], [])
        return answer["value"]

    def test_tracks(self):
        names = self.probe("return trace.tracks.map(track => track.name)")
        self.assertEqual(names[:3], ["script: lines", "script", "cpu"])

    def test_samples(self):
        names = self.probe("return trace.samples.map(sample => sample.name)")
        self.assertEqual(names, ["memory of cpu", "queue of cpu"])

    def test_events_of_a_row_do_not_overlap(self):
        overlaps = self.probe("""let count = 0;
            for (const track of trace.tracks)
              for (const row of track.rows)
                for (let i = 1; i < row.begins.length; ++i) count += row.begins[i] < row.ends[i - 1];
            return count;""")
        self.assertEqual(overlaps, 0)

    def test_waits_are_red(self):
        pixel = self.probe("""const track = trace.tracks[1];
            for (let r = 0; r < track.rows.length; ++r) {
              const row = track.rows[r];
              for (let i = 0; i < row.events.length; ++i) {
                if (kindOf(track, row.events[i]) !== "wait" || row.ends[i] - row.begins[i] < 1000) continue;
                span = row.ends[i] - row.begins[i];
                from = row.begins[i];
                draw();
                const ratio = window.devicePixelRatio;
                const x = (kLeft + width) / 2 * ratio, y = (track.top + kHead + r * kRow + 2) * ratio;
                return [...context.getImageData(x, y, 1, 1).data];
              }
            }""")
        red, green, blue, _ = pixel
        self.assertGreater(red, 150)
        self.assertLess(max(green, blue), 100)

    def test_a_kernel_leads_to_its_line(self):
        text = self.probe("""const track = trace.tracks[2];
            const event = track.rows[0].events.find(event => nameOf(track, event) === "matmul");
            choose(track, event);
            return document.getElementById("details").textContent;""")
        self.assertIn("matmul on cpu", text)
        forward = "F.cross_entropy(net(x), y)"
        lines = (HERE / "training.lua").read_text().split("\n")
        number = next(i for i, line in enumerate(lines, 1) if forward in line)
        self.assertIn(f"training.lua:{number}", text)
        self.assertIn(forward, text)

    def test_the_table_adds_up_what_is_in_view(self):
        text = self.probe('return document.getElementById("table").textContent')
        self.assertIn("matmul", text)
        nothing = self.probe("""from = 0; span = 1; fillTable();
            return document.querySelectorAll("tr.row").length;""")
        self.assertLessEqual(nothing, 1)

    def test_units_fit_their_numbers(self):
        texts = self.probe('return [48, 999, 51.38e6, 2.05e9, 7e17].map(value => scaledText(value, "FLOP"))')
        self.assertEqual(texts, ["48 FLOP", "999 FLOP", "51.4 MFLOP", "2.05 GFLOP", "700000 TFLOP"])

    def test_missing_events_are_counted(self):
        page = self.folder / "full.html"
        page.write_text(self.page.read_text().replace('"dropped": 0', '"dropped": 17'))
        code = 'return document.getElementById("summary").textContent'
        self.assertIn("full: 17 later events are missing", self.probe(code, page))
        self.assertNotIn("missing", self.probe(code))

    def test_zooming_stays_inside(self):
        first, last = self.probe("""for (let i = 0; i < 40; ++i) zoom(0.5, 900);
            for (let i = 0; i < 80; ++i) zoom(2, 300);
            move(1e15);
            return [from, from + span - trace.length];""")
        self.assertGreaterEqual(first, 0)
        self.assertLessEqual(last, 0)

    def test_many_events(self):
        page = self.folder / "many.html"
        self.train(page, 2400)
        events, drawn = self.probe("""let drawn = 0;
            const fill = context.fillRect.bind(context);
            context.fillRect = (...place) => { ++drawn; fill(...place); };
            draw();
            let events = 0;
            for (const track of trace.tracks) events += track.events.length / kFields;
            return [events, drawn];""", page)
        self.assertGreater(events, 100000)
        self.assertLess(drawn, 1400 * 12)  # a rectangle for each pixel of each row at most
        if PICTURES:
            browse(page, f"--screenshot={PICTURES}/many.png")

    def test_picture(self):
        picture = pathlib.Path(PICTURES or self.folder) / "page.png"
        chosen = self.page.read_text().replace("showDetails();\ndraw();", """{
            const track = trace.tracks[2], row = track.rows[0];
            const i = row.events.findIndex(event => nameOf(track, event) === "matmul");
            choose(track, row.events[i]);
        }
        draw();""")
        page = self.folder / "chosen.html"
        page.write_text(chosen)
        browse(page, f"--screenshot={picture}")
        self.assertGreater(picture.stat().st_size, 20000)


if __name__ == "__main__":
    if "--pictures" in sys.argv:
        place = sys.argv.index("--pictures")
        PICTURES = str(pathlib.Path(sys.argv[place + 1]).resolve())
        del sys.argv[place:place + 2]
    if not CHROMIUM:
        print("skipped: chromium is not installed (Debian's package chromium)")
        sys.exit(SKIPPED)
    unittest.main()
