"""Pictures of the profiles of whole scripts, as a reader sees them first, and of a part from near.

usage: tests/timeline/pictures.py FOLDER
"""
import pathlib
import subprocess
import sys

from page_test import CHROMIUM, HERE, TIDE, browse

SCRIPTS = {
    "lesson3": ["run", HERE.parents[1] / "scripts/lessons/03_devices.lua", "--profile"],
    "resnet18": ["run", HERE / "resnet18.lua", "--profile"],
    "gpt": ["run", HERE / "gpt.lua", "--profile"],
    "gpt_sim": ["run", HERE / "gpt.lua", "--device", "sim", "--profile"],
}

# Shows the longest event of a device among a few others, chosen.
NEAR = """<script>{
  let most = null;
  for (const track of trace.tracks.filter(track => !track.host))
    track.rows.forEach(row => row.events.forEach((event, i) => {
      const kind = kindOf(track, event), length = row.ends[i] - row.begins[i];
      if (["loop", "compute"].includes(kind) && (!most || length > most.length))
        most = {track, event, length, begin: row.begins[i]};
    }));
  span = Math.min(8 * most.length, trace.length);
  move(most.begin - span / 2);
  choose(most.track, most.event);
  draw();
}</script></body>"""


def take(name, words, folder):
    page = folder / f"{name}.html"
    subprocess.run([TIDE, *words, page], check=True, stdout=subprocess.DEVNULL)
    browse(page, f"--screenshot={folder}/{name}.png")
    near = folder / f"{name}_near.html"
    near.write_text(page.read_text().replace("</body>", NEAR))
    browse(near, f"--screenshot={folder}/{name}_near.png")
    near.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not CHROMIUM:
        sys.exit("chromium is not installed (Debian's package chromium)")
    out = pathlib.Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for name, words in SCRIPTS.items():
        take(name, words, out)
