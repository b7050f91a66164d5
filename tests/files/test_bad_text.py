"""Bad text: each kind is refused with the file, the row, the value, what was expected and the way out."""

from __future__ import annotations

import pytest

from tests.files.refusals import file, refused

GOOD = "item,annotator,label\na,1,cat\na,2,dog\nb,1,cat\n"

# Each case: the file, what its message says in order of row and value, expectation, way out, and the options.
TEXTS = {
    "a class out of range": (
        "v.csv",
        GOOD,
        [r"row 2 \(item 'a', annotator '2'\)", "'dog'", r"classes are \['cat', 'eel'\]", "1 of 3 rows"],
        {"classes": ["cat", "eel"]},
    ),
    "a second answer": (
        "v.csv",
        GOOD + "a,1,dog\n",
        ["row 4", "item 'a', annotator '1'", "first is row 1", "repeats='first'", "repeats='keep'"],
        {},
    ),
    "no label": ("v.csv", GOOD + "b,2,\n", ["row 4 has no label", "'label'", "missing='drop'"], {}),
    "no item": ("v.csv", GOOD + ",2,cat\n", ["row 4 has no value in column 'item'", "every row needs one"], {}),
    "an unknown item": (
        "v.csv",
        GOOD,
        ["row 3 has 'b' in column 'item'", "not among the 1 names given", "1 of 3"],
        {"items": ["a"]},
    ),
    "unknown columns": (
        "v.csv",
        "who,what\na,b\n",
        [r"columns \['who', 'what'\]", "neither a label column", r"who: 'a'", "label=.*classes="],
        {},
    ),
    "an unknown column asked for": (
        "v.csv",
        GOOD,
        ["unknown label column 'gold'", "from: item, annotator, label"],
        {"label": "gold"},
    ),
    "no item column": (
        "v.csv",
        "thing,label\na,x\n",
        ["no column looks like the item", r"\['thing', 'label'\]", "item="],
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
        ["no row has 'z' in column 'item'", r"it has \['a', 'b'\]"],
        {"where": {"item": "z"}},
    ),
    "a negative time": (
        "v.csv",
        "item,label,seconds\na,x,1\nb,x,-2\n",
        ["row 2 took -2.0 seconds", "expected a time of 0 or more"],
        {},
    ),
    "a time in words": (
        "v.csv",
        "item,label,seconds\na,x,1\nb,x,long\n",
        ["row 2 has 'long' in column 'seconds'", "expected a number"],
        {},
    ),
    "negative mass": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,-0.5,1.5\n",
        [r"row 2 \(item y\) gives class 'a' probability -0.5", "expected a number from 0 to 1", "2 entries"],
        {},
    ),
    "mass that is no number": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,0.5,\n",
        [r"row 2 \(item y\) gives class 'b' no probability", "from 0 to 1"],
        {},
    ),
    "rows that do not sum to one": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,0.5,0.4\n",
        [r"row 2 \(item y\) sums to 0.9, expected 1", "1 of 2 rows", "from_mass"],
        {},
    ),
    "a negative count": (
        "p.csv",
        "item,a,b\nx,5,0\ny,-1,2\n",
        [r"row 2 \(item y\) gives class 'a' count -1", "a whole number from 0"],
        {},
    ),
    "an item without votes": (
        "p.csv",
        "item,a,b\nx,0,0\ny,1,2\n",
        [r"row 1 \(item x\) has no votes", "1 of 2", "leave these"],
        {},
    ),
    "half a vote behind a row": (
        "p.csv",
        "item,a,b,votes\nx,0.5,0.5,2.5\n",
        [r"row 1 \(item x\) has 2.5 votes", "whole number"],
        {},
    ),
    "endless votes": (
        "p.csv",
        "item,a,b,votes\nx,0.5,0.5,inf\n",
        [r"row 1 \(item x\) has inf votes", "whole number"],
        {},
    ),
    "a number in words": (
        "p.csv",
        "item,a,b\nx,0.5,half\n",
        ["row 1 has 'half' in column 'b'", "expected a number"],
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
        ["2 items are asked for", "1 rows", "leave items= out"],
        {"items": ["x", "y"]},
    ),
    "a belief below 0": (
        "b.csv",
        "item,annotator,stated.a,stated.b\nx,1,-0.5,1\n",
        [r"row 1 \(item x, annotator 1\) puts -0.5 on class 'a'", "0 or more"],
        {},
    ),
    "a belief that says nothing": (
        "b.csv",
        "item,annotator,stated.a,stated.b\nx,1,,\n",
        ["row 1", "states no", "1 of 1 beliefs say nothing", "leave them out"],
        {},
    ),
    "a class named that there is not": (
        "b.csv",
        "item,stated.a,named.1\nx,1,q\n",
        ["row 1 names 'q' in column 'named.1'", r"classes are \['a'\]"],
        {},
    ),
    "places that are not numbered": (
        "b.csv",
        "item,stated.a,named.first\nx,1,a\n",
        [r"expected the columns \['named.1'\]", "got"],
        {},
    ),
    "a flag in words": (
        "b.csv",
        "item,stated.a,ruled_out.a\nx,1,maybe\n",
        ["'ruled_out.a' has 'maybe'", "expected true or false"],
        {},
    ),
    "ruled out what there is not": (
        "b.csv",
        "item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,q\n",
        ["row 1 rules out 'q'", "classes are"],
        {"classes": ["a", "b"]},
    ),
    "beliefs without stated columns": (
        "v.csv",
        GOOD,
        ["no column is named stated.CLASS", "columns are"],
        {"layout": "beliefs"},
    ),
    "top two without its columns": ("v.csv", GOOD, ["no top1, top1_prob", "among"], {"layout": "top-two"}),
    "an empty file": ("v.csv", "", ["the file is empty", "expected csv"], {}),
    "an empty line": ("v.csv", "\n\n", ["the file is empty", "expected a header line"], {}),
    "a header alone": (
        "v.csv",
        "item,label\n",
        [r"\['item', 'label'\] is followed by no rows", "expected one row"],
        {},
    ),
    "a ragged row": (
        "v.csv",
        GOOD + "b,2\n",
        ["row 4 has 2 columns, the header has 3", "'b,2'", "quote values that contain"],
        {},
    ),
    "a row too long": ("v.tsv", "item\tlabel\na\tx\tz\n", ["row 1 has 3 columns", "the header has 2", "quote"], {}),
    "one header name twice": ("v.csv", "item,label,label\na,x,y\n", ["two columns are named 'label'", "rename"], {}),
    "NUL bytes": ("v.csv", GOOD + "b,2,c\0t\n", ["line 5 has a NUL byte", "expected text", "utf-16"], {}),
    "mixed encodings": (
        "v.csv",
        "item,label\né,x\n".encode() + "ü,y\n".encode("latin-1"),
        [r"line 3 is not utf-8 text \(bytes b'\\xfc,y", "save the file as UTF-8", "encoding='latin-1'"],
        {},
    ),
    "UTF-16 unannounced": ("v.csv", GOOD.encode("utf-16"), ["UTF-16", "expected utf-8", "encoding='utf-16'"], {}),
    "UTF-8 announced as UTF-16": (
        "v.csv",
        b"\xff\xfe\x00\xd8" + GOOD.encode(),
        ["not utf-16", "UTF-8"],
        {"encoding": "utf-16"},
    ),
    "an encoding that there is not": ("v.csv", GOOD, ["unknown encoding 'klingon'", "utf-8"], {"encoding": "klingon"}),
    "an open quote": (
        "v.csv",
        'item,label\na,"x\nb,y\n',
        ["line 2 opens a quote that is never closed", "expected a second quote", "close it"],
        {},
    ),
    "a quote that swallowed rows": (
        "v.csv",
        'item,annotator,label\n1,a,"x\n1,b,y\n2,c,"z"',
        ["line 2 opens a quote that is closed in line 4 before 'z\"'", "close it, or double quotes"],
        {},
    ),
    "another delimiter": ("v.csv", "item;label\na;x\n", ["one column 'item;label'", "by ','", "by ';'", "save"], {}),
    "tabs in a CSV": ("v.csv", "item\tlabel\na\tx\n", ["one column", "pass format='tsv'"], {}),
    "a numbered item taken for a class": (
        "p.csv",
        "photo,cat,dog\n1,3,4\n2,5,6\n",
        ["the first column 'photo' looks like a number for each item", "pass item='photo'", "classes="],
        {},
    ),
    "a count left out": (
        "p.csv",
        "item,a,b\nx,5,0\ny,,2\n",
        [r"row 2 \(item y\) gives class 'a' no count", "whole number"],
        {},
    ),
    "votes that are not those counted": (
        "p.csv",
        "item,a,b,votes\nx,5,0,5\ny,1,2,4\n",
        ["row 2 has 3 counts, but 4 in column 'votes'", "1 of 2"],
        {},
    ),
    "no label at all": (
        "v.csv",
        "item,label,annotator\na,,1\nb,,2\n",
        ["no row has a label", "column 'label' is empty", "label="],
        {"missing": "drop"},
    ),
    "a list as NumPy prints it": (
        "b.csv",
        "item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,['ship' 'fox']\n",
        [r"row 1 has \"\['ship' 'fox'\]\"", "separate them with |"],
        {},
    ),
    "ruled out several in one name": (
        "b.csv",
        'item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,\ny,a,50,b,20,"ship, fox"\n',
        ["row 2 rules out 'ship, fox', a class that nobody named", r"several need \|", "classes="],
        {},
    ),
    "one JSON key twice": (
        "v.jsonl",
        '{"item": 1, "label": "x"}\n{"item": 2, "label": "x", "label": "y"}\n',
        ["line 2", "the key 'label' 2 times", r"\['x', 'y'\]"],
        {},
    ),
    "one JSON key twice in a document": ("v.json", '[{"item": 1, "item": 2}]', ["the key 'item' 2 times"], {}),
    "a wrong ending": (
        "v.xlsx",
        GOOD,
        ["the ending '.xlsx'", "expected .csv", "format="],
        {},
    ),
    "an unknown format": ("v.csv", GOOD, ["unknown format 'excel'", "from: csv, tsv"], {"format": "excel"}),
    "an unknown layout": ("v.csv", GOOD, ["unknown layout 'long'", "votes, beliefs"], {"layout": "long"}),
    "an unknown rule": ("v.csv", GOOD, ["unknown rule for repeats 'some'", "error, keep"], {"repeats": "some"}),
    "a scale of 0": ("v.csv", GOOD, ["scale=0", "expected a number above 0"], {"scale": 0}),
    "classes in one string": ("v.csv", GOOD, ["classes='cat,dog'", "expected a list of names"], {"classes": "cat,dog"}),
    "a question to a table": (
        "v.csv",
        GOOD,
        ["question='tone' picks one out of an export", "leave it out"],
        {"question": "tone"},
    ),
    "JSON that is none": ("v.json", '[{"item": 1,]', ["not valid JSON: line 1, column 13", "name it .jsonl"], {}),
    "a JSON line that is none": (
        "v.jsonl",
        '{"item": 1, "label": 2}\n{nope}\n',
        ["line 2 is not valid JSON", "'{nope}'"],
        {},
    ),
    "a JSON line that is no record": (
        "v.jsonl",
        "[1, 2]\n",
        ["line 1 is", r"expected a JSON object", "name it .json"],
        {},
    ),
    "JSON that is no list": ("v.json", '{"a": 1}', ["expected a list of records", "got dict"], {}),
    "JSON with NaN": ("v.jsonl", '{"item": 1, "label": NaN}', ["line 1", "NaN is not a JSON number", "use null"], {}),
    "JSON that mixes kinds": (
        "v.jsonl",
        '{"item": 1, "label": "x"}\n{"item": 2, "label": 3}\n',
        ["column 'label' mixes kinds", "record 1 has 'x'", "record 2 has 3", "expected one kind"],
        {},
    ),
    "JSON with half a surrogate": (
        "v.jsonl",
        '{"item": 1, "label": "\\ud800"}',
        ["column 'label'", "correct its values"],
        {},
    ),
    "JSON nested without end": ("v.json", "[" * 100_000, ["not valid JSON", "recursion"], {}),
    "JSON with several classes ticked": (
        "v.json",
        '[{"item": 1, "label": ["x"]}, {"item": 2, "label": ["x", "y"]}]',
        [
            r"row 2 \(item 2\) ticks 2 classes, \['x', 'y'\]",
            "1 of 2",
            "several='beliefs'",
            "several='votes'",
        ],
        {},
    ),
    "JSON in another encoding": (
        "v.jsonl",
        '{"item": "é"}'.encode("latin-1"),
        ["line 1 is not UTF-8", "save the file"],
        {},
    ),
    "empty JSON": ("v.json", " \n", ["the file is empty", "expected a JSON document"], {}),
    "empty JSONL": ("v.jsonl", "\n \n", ["the file is empty", "expected one JSON object per line"], {}),
    "text named Parquet": (
        "v.parquet",
        GOOD,
        ["not a readable parquet file, or cut short", "get or write it again"],
        {},
    ),
    "text named Arrow": ("v.arrow", GOOD, ["not a readable arrow file, or cut short", "get or write it again"], {}),
    "text named NPZ": ("v.npz", GOOD, ["not a readable .npz file, or cut short", "write it again with numpy.save"], {}),
    "text named NPY": ("v.npy", GOOD, ["never loaded|not a readable .npy", "numpy.save|np.save"], {}),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_is_refused_with_row_value_expectation_and_way_out(tmp_path, case):
    name, content, parts, options = TEXTS[case]
    refused(file(tmp_path, name, content), *parts, **options)
