"""How the project speaks, as far as a program can tell: names of functions, percentages, options, the formatter."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "dissensus"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Modules that stay as they are: their names are known to users, or older than the rule.
AS_THEY_ARE = (
    "aggregate/models/",
    "deliver/",
    "elicit/session/protocol.py",
    "evaluate/metrics.py",
    "files/whole_files.py",
    "labels/distances.py",
    "study/cells.py",
    "study/work/",
)
# First words that no function has: a function is named by a verb, a value by a noun.
PARTICIPLES = re.compile(
    r"_*("
    r"answered|asked|attacked|averaged|built|chosen|compared|converted|decided|delivered|described|detected"
    r"|directed|divided|driven|dumped|encoded|ended|evaluated|explained|fitted|fixed|flagged|flipped|folded|formatted"
    r"|found|given|guessed|hashed|held(?!_out)|informed|intended|joined|judged|kept|labelled|learned|listed"
    r"|loaded|lost|mapped|matched|measured|merged|moved|normalised|noted|opened|overloaded|packed|padded|parsed"
    r"|passed|picked|placed"
    r"|planned|prepared|printed|probed|quoted|reached|recorded|rendered|resized|resolved|rounded|said|saved"
    r"|scaled|scored|seeded|seen|selected|shortened|shown|skipped|smoothed|spelled|spent|stacked|started|summed|swapped"
    r"|taken|tempered|tested|timed|told|trained|transformed|tried|tuned|turned|typed|updated|used|verified|wanted"
    r"|watched|worded|wrapped|written"
    r")(_|$)"
)
# Strings outside of `cli` that are commands, not settings of the library.
COMMANDS = {
    "datasets/efficientnet.py": "how to obtain features",
    "files/convert_command.py": "makes the command `dissensus convert ...`",
    "files/tables/survey_exports.py": "the command that exports labels",
    "labels/refusals.py": "explains the words of the command line",
    "papers/running.py": "the command of a record",
    "study/commit.py": "arguments of git",
    "train/image_sources.py": "another program",
}
CUSTOM_PROPERTIES = "report/"  # CSS has names such as --ink
# Tables of data that are read by columns.
LAID_OUT_BY_HAND = {
    "benchmarks/embedding.py",
    "benchmarks/intervals/ceiling.py",
    "src/dissensus/evaluate/metrics.py",
    "src/dissensus/files/tables/columns.py",
    "src/dissensus/study/cells.py",
    "studies/advise.py",
    "tests/aggregate/test_agreement.py",
    "tests/elicit/session/test_measured_times.py",
    "tests/files/tools/samples.py",
}
# Words that make a sentence sound translated.
UNUSUAL = re.compile(
    r"\b([Ww]hoever(?! answers)|[Ff]oretell\w*|[Vv]ouch(es|ed)?|[Nn]obody knows|[Hh]and(ed|s)? over"
    r"|is no (valid|verdict|seed))\b"
)
SENTENCE = re.compile(r"(?:(?<![\w./<{&])[A-Za-z][A-Za-z'-]*[,:;]? ){3}[A-Za-z]")  # four words in a row
PERCENT = re.compile(r"(?<=[\d}]) %(?![\w(])")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")

# Calls whose texts commands report in one line: subclasses of ValueError and OSError, refusals and their ways out.
ERRORS = re.compile(r"Way|Refusal|(?!Key|Type|Runtime|Attribute|Assertion)\w+Error|(\w+\.)*(refuse|refuse_value|error)")
PYTHON = re.compile(r"\b[a-z_]\w*=(?!=)|\b[A-Za-z_][\w.]*\((?!s\))")  # a keyword or a call
SPEAK_PYTHON = {
    "deliver/": "stays as it is",
    "study/pipes.py": "wrappers and transforms, which every front writes as smoothed=0.1",
}


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def strings_with(path: Path, pattern: re.Pattern[str], kinds: tuple[int, ...] = (tokenize.STRING,)) -> list[str]:
    """Where strings of a module, docstrings included, match a pattern; `kinds` may add comments."""
    text = path.read_text(encoding="utf-8")
    if not pattern.search(text):  # most modules, and reading their tokens takes long
        return []
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    matching = [token for token in tokens if token.type in kinds and pattern.search(token.string)]
    return [f"{name_of(path)}:{token.start[0]}" for token in matching]


def functions(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def error_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of errors that commands report, and of their ways out, with "value" in place of each value."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ERRORS.fullmatch(ast.unparse(node.func)):
            for part in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "ways")):
                yield from strings_in(part)


def strings_in(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings of an expression, except those of ways out that have a call of their own."""
    if isinstance(node, ast.JoinedStr):
        yield (
            node.lineno,
            "".join(str(part.value) if isinstance(part, ast.Constant) else "value" for part in node.values),
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    elif not (isinstance(node, ast.Call) and ast.unparse(node.func) in ("Way", "PythonWay")):
        for part in ast.iter_child_nodes(node):
            yield from strings_in(part)


def test_functions_are_not_named_by_participles():
    ours = [path for path in MODULES if not name_of(path).startswith(AS_THEY_ARE)]
    assert not [f"{name_of(path)}: {name}" for path in ours for name in functions(path) if PARTICIPLES.match(name)]


def test_percentages_have_no_space():
    assert not [place for path in MODULES for place in strings_with(path, PERCENT)]


def test_texts_and_comments_use_common_words():
    ours = [path for path in MODULES if not name_of(path).startswith(AS_THEY_ARE)]
    kinds = (tokenize.STRING, tokenize.COMMENT)
    assert not [place for path in ours for place in strings_with(path, UNUSUAL, kinds)]


def test_errors_are_matched_by_facts_and_not_by_sentences():
    """`tests/facts.py` checks names, numbers and rows, so an error can be reworded without its tests."""
    quoted = []
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)) if "match=" in text else ()
        patterns = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "match")
        strings = (node for pattern in patterns for node in ast.walk(pattern) if isinstance(node, ast.Constant))
        quoted += [f"{path.name}:{node.lineno}" for node in strings if SENTENCE.search(str(node.value))]
    assert not quoted


def test_the_library_names_settings_and_not_options():
    """The command line words a refusal for its users; the library does not know that there is one."""
    elsewhere = ("cli/", CUSTOM_PROPERTIES, *COMMANDS)
    library = [path for path in MODULES if not name_of(path).startswith(elsewhere)]
    assert not [place for path in library for place in strings_with(path, OPTION)]


def test_errors_speak_no_python():
    """Commands and TOML files show the same errors: what only code can do is a `PythonWay`, a setting `{name}`."""
    library = [path for path in MODULES if not name_of(path).startswith(("cli/", *SPEAK_PYTHON))]
    texts = [(path, line, text) for path in library for line, text in error_texts(path)]
    assert len(texts) > 1000
    assert not [f"{name_of(path)}:{line}: {text}" for path, line, text in texts if PYTHON.search(text)]


def test_only_tables_of_data_are_laid_out_by_hand():
    sources = [
        path
        for folder in ("src", "tests", "benchmarks", "studies", "examples")
        for path in (ROOT / folder).rglob("*.py")
    ]
    marks = re.compile(r"# fmt: (skip|off)$", flags=re.MULTILINE)
    by_hand = {str(path.relative_to(ROOT)) for path in sources if marks.search(path.read_text(encoding="utf-8"))}
    assert by_hand == LAID_OUT_BY_HAND


def test_generated_pages_have_percentages_without_a_space():
    pages = [ROOT / "docs" / "intervals.md", *(ROOT / "docs" / "papers").glob("*.md")]
    assert not [page.name for page in pages if PERCENT.search(page.read_text(encoding="utf-8"))]
