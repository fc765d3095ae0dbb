"""The corpus's projects as folders, for programs that read folders (`hearth index`, `hearth bench quality`)."""

import shutil
from collections import defaultdict
from pathlib import Path

import holdout
from corpus import load_files

LEAST_FILES = 10  # of a project that is worth a folder among others


def write_project(folder: Path, files: list[tuple[str, str]]) -> None:
    """(path, text) of each file, all of them or none. A folder that is there is left alone."""
    if folder.is_dir():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    for path, text in files:
        (partial / path).parent.mkdir(parents=True, exist_ok=True)
        (partial / path).write_text(text)
    partial.rename(folder)


def write_projects(corpus: Path, folder: Path) -> None:
    """`SPLIT/NAME` and `SPLIT-by-language/LANGUAGE/NAME` of the projects that training never sees."""
    for split in ("holdout", "validation"):
        whole = defaultdict(list)
        for language, projects in load_files(corpus, split).items():
            for name, files in projects.items():
                if name not in holdout.SEEN_BY_THE_FIRST_ADAPTER:
                    whole[name] += files
                    write_project(folder / f"{split}-by-language" / language / folder_name(name), files)
        for name, files in whole.items():
            if len(files) >= LEAST_FILES:
                write_project(folder / split / folder_name(name), files)
        print(folder / split, folder / f"{split}-by-language", sep="\n")


def folder_name(project: str) -> str:
    return project.replace("/", "--")
