"""Bad text: each kind is refused with the file, the row, the value, what was expected and the way out."""

from __future__ import annotations

import pytest

from tests.files.refusals import file, refused

GOOD = "item,annotator,label\na,1,cat\na,2,dog\nb,1,cat\n"

# Each case: the file, the facts of its message (row and value, expectation, way out), and the options.
TEXTS = {
    "a class out of range": (
        "v.csv",
        GOOD,
        ["row 2", "item 'a', annotator '2'", "'dog'", "classes", ["cat", "eel"], "1 of 3"],
        {"classes": ["cat", "eel"]},
    ),
    "a second answer": (
        "v.csv",
        GOOD + "a,1,dog\n",
        ["row 4", "item 'a', annotator '1'", "row 1", "1 of 4", "repeats='first'", "repeats='last'", "repeats='keep'"],
        {},
    ),
    "no label": ("v.csv", GOOD + "b,2,\n", ["row 4", "no label", "'label'", "1 of 4", "missing='drop'"], {}),
    "no item": ("v.csv", GOOD + ",2,cat\n", ["row 4", "no value", "column 'item'"], {}),
    "an unknown item": (
        "v.csv",
        GOOD,
        ["row 3", "'b'", "column 'item'", "not among", "1 names", "1 of 3"],
        {"items": ["a"]},
    ),
    "unknown columns": (
        "v.csv",
        "who,what\na,b\n",
        [["who", "what"], "neither", "label column", "number column", "who: 'a'", "label=", "classes="],
        {},
    ),
    "an unknown column asked for": (
        "v.csv",
        GOOD,
        ["unknown label column", "'gold'", "from: item, annotator, label"],
        {"label": "gold"},
    ),
    "no item column": (
        "v.csv",
        "thing,label\na,x\n",
        ["no column", "the item", ["thing", "label"], "item="],
        {},
    ),
    "an unknown column to choose by": (
        "v.csv",
        GOOD,
        ["unknown column 'split'", "from: item, annotator, label"],
        {"where": {"split": "dev"}},
    ),
    "no row chosen": (
        "v.csv",
        GOOD,
        ["no row", "'z'", "column 'item'", ["a", "b"]],
        {"where": {"item": "z"}},
    ),
    "a negative time": (
        "v.csv",
        "item,label,seconds\na,x,1\nb,x,-2\n",
        ["row 2", "-2.0 seconds", "0 or more", "1 of 2"],
        {},
    ),
    "a time in words": (
        "v.csv",
        "item,label,seconds\na,x,1\nb,x,long\n",
        ["row 2", "'long'", "column 'seconds'", "expected a number"],
        {},
    ),
    "negative mass": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,-0.5,1.5\n",
        ["row 2", "item y", "class 'a'", "probability -0.5", "0 to 1", "2 entries", "softmax"],
        {},
    ),
    "mass that is no number": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,0.5,\n",
        ["row 2", "item y", "class 'b'", "no probability", "0 to 1"],
        {},
    ),
    "rows that do not sum to one": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,0.5,0.4\n",
        ["row 2", "item y", "sums to 0.9", "expected 1", "1 of 2", "Distributions.from_mass", "rescale=True"],
        {},
    ),
    "a negative count": (
        "p.csv",
        "item,a,b\nx,5,0\ny,-1,2\n",
        ["row 2", "item y", "class 'a'", "count -1", "whole number", "0 to 2**53"],
        {},
    ),
    "an item without votes": (
        "p.csv",
        "item,a,b\nx,0,0\ny,1,2\n",
        ["row 1", "item x", "no votes", "1 of 2", "Leave these"],
        {},
    ),
    "half a vote behind a row": (
        "p.csv",
        "item,a,b,votes\nx,0.5,0.5,2.5\n",
        ["row 1", "item x", "2.5 votes", "whole number"],
        {},
    ),
    "endless votes": (
        "p.csv",
        "item,a,b,votes\nx,0.5,0.5,inf\n",
        ["row 1", "item x", "inf votes", "whole number"],
        {},
    ),
    "a number in words": (
        "p.csv",
        "item,a,b\nx,0.5,half\n",
        ["row 1", "'half'", "column 'b'", "expected a number", "drop=['b']"],
        {"layout": "probabilities"},
    ),
    "a class without its column": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\n",
        ["unknown class column 'c'", "from: item, a, b"],
        {"classes": ["a", "c"], "layout": "probabilities"},
    ),
    "items asked for that are not there": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\n",
        ["2 items", "1 rows", "Leave items= out"],
        {"items": ["x", "y"]},
    ),
    "a belief below 0": (
        "b.csv",
        "item,annotator,stated.a,stated.b\nx,1,-0.5,1\n",
        ["row 1", "item x, annotator 1", -0.5, "class 'a'", "0 or more"],
        {},
    ),
    "a belief that says nothing": (
        "b.csv",
        "item,annotator,stated.a,stated.b\nx,1,,\n",
        ["row 1", "item x, annotator 1", "states no", "1 of 1", "leave them out"],
        {},
    ),
    "a class named that there is not": (
        "b.csv",
        "item,stated.a,named.1\nx,1,q\n",
        ["row 1", "'q'", "column 'named.1'", "classes", ["a"]],
        {},
    ),
    "places that are not numbered": (
        "b.csv",
        "item,stated.a,named.first\nx,1,a\n",
        ["expected", ["named.1"], "got", ["item", "stated.a", "named.first"]],
        {},
    ),
    "a flag in words": (
        "b.csv",
        "item,stated.a,ruled_out.a\nx,1,maybe\n",
        ["column 'ruled_out.a'", "'maybe'", "true or false"],
        {},
    ),
    "ruled out what there is not": (
        "b.csv",
        "item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,q\n",
        ["row 1", "rules out 'q'", "classes", ["a", "b"]],
        {"classes": ["a", "b"]},
    ),
    "beliefs without stated columns": (
        "v.csv",
        GOOD,
        ["stated.CLASS", ["item", "annotator", "label"]],
        {"layout": "beliefs"},
    ),
    "top two without its columns": (
        "v.csv",
        GOOD,
        ["no top1, top1_prob", ["item", "annotator", "label"]],
        {"layout": "top-two"},
    ),
    "an empty file": ("v.csv", "", ["empty", "expected csv"], {}),
    "an empty line": ("v.csv", "\n\n", ["empty", "a header line"], {}),
    "a header alone": (
        "v.csv",
        "item,label\n",
        ["header", ["item", "label"], "no rows", "expected one row"],
        {},
    ),
    "a ragged row": (
        "v.csv",
        GOOD + "b,2\n",
        ["row 4", "2 columns", "header has 3", "'b,2'", "Quote"],
        {},
    ),
    "a row too long": ("v.tsv", "item\tlabel\na\tx\tz\n", ["row 1", "3 columns", "header has 2", "Quote"], {}),
    "one header name twice": (
        "v.csv",
        "item,label,label\na,x,y\n",
        ["two columns", "'label'", "rename", ["item", "label", "label"]],
        {},
    ),
    "NUL bytes": ("v.csv", GOOD + "b,2,c\0t\n", ["line 5", "NUL byte", "expected text", "encoding='utf-16'"], {}),
    "mixed encodings": (
        "v.csv",
        "item,label\né,x\n".encode() + "ü,y\n".encode("latin-1"),
        ["line 3", "not utf-8", b"\xfc,y", "UTF-8", "encoding='latin-1'"],
        {},
    ),
    "UTF-16 unannounced": ("v.csv", GOOD.encode("utf-16"), ["UTF-16", "expected utf-8", "encoding='utf-16'"], {}),
    "UTF-8 announced as UTF-16": (
        "v.csv",
        b"\xff\xfe\x00\xd8" + GOOD.encode(),
        ["line 1", "not utf-16", "UTF-8"],
        {"encoding": "utf-16"},
    ),
    "an encoding that there is not": ("v.csv", GOOD, ["unknown encoding 'klingon'", "utf-8"], {"encoding": "klingon"}),
    "an open quote": (
        "v.csv",
        'item,label\na,"x\nb,y\n',
        ["line 2", "a quote", "never closed", "close it"],
        {},
    ),
    "a quote that swallowed rows": (
        "v.csv",
        'item,annotator,label\n1,a,"x\n1,b,y\n2,c,"z"',
        ["line 2", "a quote", "closed in line 4", "'z\"'", "close it", "double quotes"],
        {},
    ),
    "another delimiter": (
        "v.csv",
        "item;label\na;x\n",
        ["one column 'item;label'", "by ','", "by ';'", "delimiter=';'", "save"],
        {},
    ),
    "tabs in a CSV": ("v.csv", "item\tlabel\na\tx\n", ["one column", "format='tsv'"], {}),
    "a numbered item taken for a class": (
        "p.csv",
        "photo,cat,dog\n1,3,4\n2,5,6\n",
        ["column 'photo'", "a number", [1, 2], "not a class", "item='photo'", "classes=['photo', 'cat', 'dog']"],
        {},
    ),
    "a count left out": (
        "p.csv",
        "item,a,b\nx,5,0\ny,,2\n",
        ["row 2", "item y", "class 'a'", "no count", "whole number"],
        {},
    ),
    "votes that are not those counted": (
        "p.csv",
        "item,a,b,votes\nx,5,0,5\ny,1,2,4\n",
        ["row 2", "3 counts", "4 in column 'votes'", "1 of 2", "classes="],
        {},
    ),
    "no label at all": (
        "v.csv",
        "item,label,annotator\na,,1\nb,,2\n",
        ["no row", "column 'label'", "empty", "label="],
        {"missing": "drop"},
    ),
    "a list as NumPy prints it": (
        "b.csv",
        "item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,['ship' 'fox']\n",
        ["row 1", "\"['ship' 'fox']\"", "column 'ruled_out'", "with |"],
        {},
    ),
    "ruled out several in one name": (
        "b.csv",
        'item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,\ny,a,50,b,20,"ship, fox"\n',
        ["row 2", "rules out 'ship, fox'", "nobody named", "several need |", "classes="],
        {},
    ),
    "one JSON key twice": (
        "v.jsonl",
        '{"item": 1, "label": "x"}\n{"item": 2, "label": "x", "label": "y"}\n',
        ["line 2", "key 'label'", "2 times", ["x", "y"]],
        {},
    ),
    "one JSON key twice in a document": ("v.json", '[{"item": 1, "item": 2}]', ["key 'item'", "2 times", [1, 2]], {}),
    "a wrong ending": (
        "v.xlsx",
        GOOD,
        ["ending '.xlsx'", "expected .csv", "format="],
        {},
    ),
    "an unknown format": ("v.csv", GOOD, ["unknown format 'excel'", "from: csv, tsv"], {"format": "excel"}),
    "an unknown layout": ("v.csv", GOOD, ["unknown layout 'long'", "votes, beliefs"], {"layout": "long"}),
    "an unknown rule": ("v.csv", GOOD, ["unknown", "repeats 'some'", "error, keep, first, last"], {"repeats": "some"}),
    "a scale of 0": ("v.csv", GOOD, ["scale=0", "above 0"], {"scale": 0}),
    "classes in one string": ("v.csv", GOOD, ["classes='cat,dog'", "list of names"], {"classes": "cat,dog"}),
    "a question to a table": (
        "v.csv",
        GOOD,
        ["question='tone'", "an export", "this is csv", "Leave it out"],
        {"question": "tone"},
    ),
    "JSON that is none": ("v.json", '[{"item": 1,]', ["not valid JSON", "line 1, column 13", ".jsonl"], {}),
    "a JSON line that is none": (
        "v.jsonl",
        '{"item": 1, "label": 2}\n{nope}\n',
        ["line 2", "not valid JSON", "'{nope}'"],
        {},
    ),
    "a JSON line that is no record": (
        "v.jsonl",
        "[1, 2]\n",
        ["line 1", "'[1, 2]'", "a JSON object", "name it .json"],
        {},
    ),
    "JSON that is no list": ("v.json", '{"a": 1}', ["list of records", "got dict"], {}),
    "JSON with NaN": ("v.jsonl", '{"item": 1, "label": NaN}', ["line 1", "NaN", "JSON number", "null"], {}),
    "JSON that mixes kinds": (
        "v.jsonl",
        '{"item": 1, "label": "x"}\n{"item": 2, "label": 3}\n',
        ["column 'label'", "record 1 has 'x'", "record 2 has 3", "expected one kind"],
        {},
    ),
    "JSON with half a surrogate": (
        "v.jsonl",
        '{"item": 1, "label": "\\ud800"}',
        ["column 'label'", r"'\ud800'", "correct its values"],
        {},
    ),
    "JSON nested without end": ("v.json", "[" * 100_000, ["not valid JSON", "recursion"], {}),
    "JSON with several classes ticked": (
        "v.json",
        '[{"item": 1, "label": ["x"]}, {"item": 2, "label": ["x", "y"]}]',
        [
            "row 2",
            "item 2",
            "2 classes",
            ["x", "y"],
            "1 of 2",
            "several='beliefs'",
            "several='votes'",
        ],
        {},
    ),
    "JSON in another encoding": (
        "v.jsonl",
        '{"item": "é"}'.encode("latin-1"),
        ["line 1", "not UTF-8", b'\xe9"}', "save"],
        {},
    ),
    "empty JSON": ("v.json", " \n", ["empty", "a JSON document"], {}),
    "empty JSONL": ("v.jsonl", "\n \n", ["empty", "one JSON object"], {}),
    "text named Parquet": (
        "v.parquet",
        GOOD,
        ["parquet file", "cut short", "write it again"],
        {},
    ),
    "text named Arrow": ("v.arrow", GOOD, ["arrow file", "cut short", "write it again"], {}),
    "text named NPZ": ("v.npz", GOOD, [".npz file", "cut short", "numpy.save"], {}),
    "text named NPY": ("v.npy", GOOD, [".npy file", "begins with", "numpy.save"], {}),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_is_refused_with_row_value_expectation_and_way_out(tmp_path, case):
    name, content, facts, options = TEXTS[case]
    refused(file(tmp_path, name, content), *facts, **options)
