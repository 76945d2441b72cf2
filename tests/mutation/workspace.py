"""The mutated copy of the tree, and its build."""
import json
import random
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import sites

# What is mutated: folders, suffixes of sources, and exclusions (texts, examples).
SOURCES = [("runtime", {".cpp", ".cu"}), ("bindings", {".cpp"}), ("interpreter", {".cpp"}),
           ("scripts/tide", {".lua"})]
LEFT_OUT = re.compile(r"^scripts/tide/reference/|/check_\w+_api\.cpp$")
HEADER = '#include "tests/mutation/mutant.h"\n#line 1\n'
FEWEST_OF_A_FOLDER = 3


class Workspace:
    """A folder with `tree` (the copy), `pristine` (its C++ sources without mutations), `build`, and
    data on the mutations."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.tree, self.pristine, self.build = folder / "tree", folder / "pristine", folder / "build"
        self.list = folder / "mistakes.json"
        self.mistakes = json.loads(self.list.read_text()) if self.list.exists() else []

    def prepare(self, count, seed, targets):
        """Copies, picks mutations and builds; drops those that do not compile."""
        self.copy()
        if not self.mistakes:
            self.draw(count, seed)
        self.write()
        for _ in range(8):
            log = self.compile(targets)
            if log is None:
                break
            if not self.drop_broken(log):
                raise SystemExit(f"the copy does not build; see {self.folder}/build.log")
            self.write()
        self.check_lua()
        self.save()

    def save(self):
        self.list.write_text(json.dumps(self.mistakes, indent=1))

    def copy(self):
        """Keeps the sources of the first copy, because mutations refer to sites in them; updates tests."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=self.root,
                                capture_output=True, check=True).stdout.decode()
        for name in filter(None, listed.split("\0")):
            source, target = self.root / name, self.tree / name
            if not source.is_file() or target.exists() and (
                    not name.startswith("tests/") or target.read_bytes() == source.read_bytes()):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        for name in self.sources():
            kept = self.pristine / name
            if not kept.exists():
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.tree / name, kept)

    def sources(self):
        """Names of the files that may be mutated."""
        for folder, endings in SOURCES:
            for path in sorted((self.tree / folder).rglob("*")):
                name = str(path.relative_to(self.tree))
                if path.suffix in endings and not LEFT_OUT.search(name):
                    yield name

    def draw(self, count, seed):
        """Mutations at random sites, distributed over folders in proportion to their sites."""
        draw = random.Random(seed)
        found = defaultdict(list)
        for name in self.sources():
            text = (self.pristine / name).read_text()
            take = sites.lua_sites if name.endswith(".lua") else sites.cpp_sites
            for site in take(text, draw):
                found[str(Path(name).parent)].append((name, text, site))
        whole = sum(len(places) for places in found.values())
        for folder in sorted(found):
            places = found[folder]
            share = max(FEWEST_OF_A_FOLDER, round(count * len(places) / whole))
            for name, text, site in draw.sample(places, min(share, len(places))):
                mistake = draw.choice(site.mistakes)
                self.mistakes.append({
                    "number": len(self.mistakes) + 1, "file": name,
                    "line": text.count("\n", 0, mistake.begin) + 1, "kind": mistake.kind,
                    "begin": mistake.begin, "end": mistake.end, "schema": mistake.schema,
                    "right": text[mistake.begin:mistake.end], "wrong": mistake.wrong})

    def write(self):
        """Applies the C++ and CUDA mutations to the copy."""
        by_file = defaultdict(list)
        for mistake in self.mistakes:
            if mistake["schema"]:
                by_file[mistake["file"]].append(mistake)
        for name in self.sources():
            if name.endswith(".lua"):
                continue
            text = (self.pristine / name).read_text()
            for mistake in sorted(by_file[name], key=lambda m: -m["begin"]):
                begin, end = mistake["begin"], mistake["end"]
                schema = mistake["schema"].replace(sites.NUMBER, str(mistake["number"]))
                # Keeps the number of lines, so that line numbers in compiler messages match.
                schema = schema.replace("\n", " ") + "\n" * text.count("\n", begin, end)
                text = text[:begin] + schema + text[end:]
            if by_file[name]:
                text = HEADER + text
            target = self.tree / name
            if target.read_text() != text:
                target.write_text(text)

    def compile(self, targets):
        """None on success, else the compilers' messages."""
        commands = [] if (self.build / "build.ninja").exists() else [
            ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]]
        commands.append(["ninja", "-C", self.build, "-k", "0", *targets])
        for command in commands:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
            (self.folder / "build.log").write_text(done.stdout)
            if done.returncode:
                return done.stdout
        return None

    def drop_broken(self, log):
        """Drops the mutations on lines with errors; returns whether there were any."""
        wrong = defaultdict(set)
        # For an error inside a template, the compiler also reports the line of the instantiation.
        pattern = re.compile(re.escape(str(self.tree)) +
                             r"/([\w/.]+)[:(](\d+)[:)].*\b(?:error\b|required from here)", re.M)
        for m in pattern.finditer(log):
            wrong[m.group(1)].add(int(m.group(2)))

        def is_broken(mistake):
            last = mistake["line"] + mistake["right"].count("\n")
            return any(mistake["line"] <= line <= last for line in wrong.get(mistake["file"], ()))

        broken = [m for m in self.mistakes if is_broken(m)]
        hit = {m["file"] for m in broken}
        # An error may be reported for another line: then drops all of the file's mutations.
        broken += [m for m in self.mistakes if m["file"] in wrong and m["file"] not in hit]
        numbers = {m["number"] for m in broken}
        self.mistakes = [m for m in self.mistakes if m["number"] not in numbers]
        return bool(broken)

    def check_lua(self):
        """Drops Lua mutations that are not valid Lua, or whose line is not a statement."""
        kept = []
        for mistake in self.mistakes:
            if not mistake["schema"]:
                texts = [self.lua_text(mistake), self.traced_text([mistake], Path("/dev/null"))]
                if any(self.is_not_lua(text) for text in texts):
                    continue
            kept.append(mistake)
        self.mistakes = kept

    def is_not_lua(self, text):
        program = "os.exit(load(io.read('a')) and 0 or 1)"
        return subprocess.run([self.build / "tide", "-e", program], input=text, text=True,
                              capture_output=True, check=False).returncode != 0

    def lua_text(self, mistake):
        text = (self.tree / mistake["file"]).read_text()
        return text[:mistake["begin"]] + mistake["wrong"] + text[mistake["end"]:]

    def traced_text(self, mistakes, trace):
        """A Lua source that records its executed mutations in the file `trace`."""
        text = (self.tree / mistakes[0]["file"]).read_text()
        for mistake in sorted(mistakes, key=lambda m: -m["begin"]):
            number, begin = mistake["number"], mistake["begin"]
            # Sources may have locals of these names.
            note = (f"if not _ENV.package.loaded['mutant {number}'] then "
                    f"_ENV.package.loaded['mutant {number}'] = true "
                    f"local f = _ENV.io.open('{trace}', 'a') f:write('{number}\\n') f:close() end ")
            text = text[:begin] + note + text[begin:]
        return text

    def scripts(self, folder, texts):
        """A copy of the library in `folder`, with these files (by name) replaced."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.tree / "scripts", folder)
        for name, text in texts.items():
            (folder / Path(name).relative_to("scripts")).write_text(text)
        return folder
