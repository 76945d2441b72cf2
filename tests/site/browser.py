"""Pages in headless Chromium: their widths, and pictures of them at some widths, light and dark."""
import json
import pathlib
import re
import shutil
import subprocess

CHROMIUM = shutil.which("chromium")
WIDTHS = (400, 1280)
HEIGHT = 1400
SKIPPED = 77  # the exit status of a program that could not test

# A page that holds others at a width: a browser's own window is never narrower than 500 pixels.
FRAME = """<!doctype html><html><body style="margin:0"><script>
const pages = {pages}, width = {width}, query = "{query}", report = [];
async function measure(page) {{
  const frame = document.createElement("iframe");
  frame.style = `border:0;width:${{width}}px;height:{height}px`;
  frame.src = page + query;
  document.body.append(frame);
  await new Promise((resolve) => {{ frame.onload = resolve; }});
  const inner = frame.contentDocument;
  report.push([page, inner.documentElement.scrollWidth,
    inner.querySelectorAll("#results a").length]);
  if (pages.length > 1) frame.remove();
}}
(async () => {{
  for (const page of pages) await measure(page);
  document.body.dataset.report = JSON.stringify(report);
}})();
</script></body></html>"""


def needed(*found):
    """Why there is nothing to test: the first reason whose thing is missing, or None."""
    return next((reason for thing, reason in [(CHROMIUM, "chromium is not installed (Debian package chromium)"),
                                              *found] if not thing), None)


def browse(address, *options):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--allow-file-access-from-files", "--virtual-time-budget=60000", *options, address]
    return subprocess.run(command, capture_output=True, text=True, timeout=300).stdout


def frame(folder, pages, width, query="", height=HEIGHT):
    path = folder / "frame.html"
    path.write_text(FRAME.format(pages=json.dumps(pages), width=width, height=height, query=query))
    return path.as_uri()


def report(folder, pages, width, query=""):
    """A list of (page, its width, results of the search) for pages of a folder in a window."""
    shown = browse(frame(folder, pages, width, query), "--dump-dom")
    found = re.search(r'data-report="([^"]*)"', shown)
    return json.loads(found.group(1).replace("&quot;", '"')) if found else []


def too_wide(folder, pages):
    """Pages that are wider than their window, as lines."""
    wrong = []
    for width in WIDTHS:
        measured = report(folder, pages, width)
        if len(measured) != len(pages):
            wrong.append(f"only {len(measured)} of {len(pages)} pages could be measured")
        wrong += [f"{page} is {wide} pixels wide in a window of {width}"
                  for page, wide, _ in measured if wide > width]
    return wrong


def take_pictures(folder, page, target, height=HEIGHT):
    """Pictures of a page at all widths, light and dark: target-400-dark.png, ..."""
    for width in WIDTHS:
        address = frame(folder, [page], width, height=height)
        for scheme, number in (("light", 1), ("dark", 0)):
            browse(address, f"--blink-settings=preferredColorScheme={number}",
                   f"--window-size={max(width, 500)},{height}",
                   f"--screenshot={pathlib.Path(f'{target}-{width}-{scheme}.png')}")


def finish(wrong, praise):
    """Prints what is wrong; the exit status."""
    print("\n".join(wrong) or praise)
    return 1 if wrong else 0
