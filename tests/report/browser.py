"""Opens reports of the command in a headless Chromium: nothing may be said on the console, nothing be fetched, and no
page may be wider than its window, at the width of a telephone and at that of a desk.

    tests/report/browser.py BINARY

Without a Chromium that can be found or installed (Debian's `chromium`, as root), it says so and checks the files alone.
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = (380, 1400)
LARGEST = 5_000_000

EVIL = """\
x,<b>y</b>,label
0,1,<script>alert(1)</script>
1,0,"a & ""b"" 'c'"
0.1,0.9,<script>alert(1)</script>
0.9,0.2,"a & ""b"" 'c'"
0.2,0.7,<script>alert(1)</script>
1.1,0.1,"a & ""b"" 'c'"
"""

# What is fitted, and the report of it.
MODELS = {
    "moons": "mercer fit '@moons(n=200)' --kernel 'rbf(sigma=0.3)' --C 10 --probabilities platt -o moons.mercer",
    "iris": "mercer auto @iris --time-limit 10 -o iris.mercer",
    "sinc": "mercer fit @sinc --loss 'epsilon(epsilon=0.1)' --kernel 'rbf(sigma=1)' -o sinc.mercer",
    "texts": "mercer fit @promoter --kernel 'normalize(spectrum(k=3))' -o texts.mercer",
    "evil": "mercer fit evil.csv --kernel 'rbf(sigma=0.3)' -o evil.mercer",
}

# A window of exactly the width that is wanted; the page inside it is asked how wide it is.
PROBE = """\
<!DOCTYPE html><title>waiting</title><body><script>
const frame = document.createElement("iframe");
frame.width = {width}; frame.height = 900; frame.style.border = 0;
frame.onload = () => {{
  const inside = frame.contentDocument.documentElement;
  document.title = "widths " + inside.scrollWidth + " " + inside.clientWidth
    + " pictures " + frame.contentDocument.querySelectorAll("svg").length;
}};
frame.src = "{page}";
document.body.append(frame);
</script>
"""


def chromium():
    """The browser, installed if it is missing and that is possible."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update"], check=False, **quiet)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], check=False, **quiet)
        found = next(filter(None, map(shutil.which, names)), None)
    return found


def complaints(browser, folder, page):
    """What is wrong with a page in a browser."""
    wrong = []
    for width in WIDTHS:
        probe = folder / f"probe-{width}.html"
        probe.write_text(PROBE.format(width=width, page=page.name), "utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
        command += ["--enable-logging=stderr", "--virtual-time-budget=10000", f"--user-data-dir={folder / 'profile'}"]
        done = subprocess.run([*command, "--dump-dom", probe.as_uri()], capture_output=True, text=True, timeout=120)
        found = re.search(r"<title>widths (\d+) (\d+) pictures (\d+)</title>", done.stdout)
        if found is None:
            wrong.append(f"{page.name} does not open at {width}: {done.stderr.strip()[-300:]}")
            continue
        needed, there, pictures = map(int, found.groups())
        if needed > there:
            wrong.append(f"{page.name} is {needed} wide in a window of {there}")
        if pictures == 0:
            wrong.append(f"{page.name} has no picture")
        wrong += [f"{page.name}: {line}" for line in done.stderr.splitlines() if "CONSOLE" in line]
    return wrong


def main():
    """Makes the reports and looks at each; 0 if all is well."""
    binary = Path(sys.argv[1]).resolve()
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "evil.csv").write_text(EVIL, "utf-8")
        (folder / "bin").mkdir()
        (folder / "bin" / "mercer").symlink_to(binary)
        env = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        browser = chromium()
        if browser is None:
            print("no Chromium: reports are made and read, but not opened")
        for name, command in MODELS.items():
            page = folder / f"{name}.html"
            for line in (command, f"mercer report {name}.mercer -o {page.name}"):
                done = subprocess.run(["bash", "-c", line], cwd=folder, env=env, capture_output=True, text=True)
                if done.returncode == 2:
                    sys.exit(f"{line}: {done.stderr}")
            text = page.read_text("utf-8")
            if len(text) > LARGEST:
                wrong.append(f"{page.name} has {len(text)} bytes")
            outside = [link for link in re.findall(r"(?:href|src)=\"([^\"]*)\"", text) if not link.startswith("data:")]
            if outside or "<script" in text:
                wrong.append(f"{page.name} reaches outside or runs something: {outside[:3]}")
            if name == "evil" and html.escape("<script>alert(1)</script>", quote=False) not in text:
                wrong.append("labels with markup are not shown as they are")
            if browser:
                wrong += complaints(browser, folder, page)
    for line in wrong:
        print(line)
    print(f"{len(MODELS)} reports, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
