"""The findings of probes as a page: the answer first, then a section for each probe."""

from __future__ import annotations

from typing import Any

from dissensus.probe.probes import PROBES
from dissensus.probe.probing import Findings
from dissensus.report.document import Cards, Document, Section, Text

ANSWERS = 2  # sentences that a page opens with


def describe_probes(findings: Findings, title: str = "") -> Document:
    """Describe the findings of probes as a page.

    Parameters
    ----------
    findings : from `probe_network`
    title : what was probed, such as the names of the files

    Returns
    -------
    Document

    Examples
    --------
    >>> import torch
    >>> from dissensus.probe import Probed, image_batches, probe_network
    >>> from dissensus.train import Network
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> network = Network(module, ("cat", "dog"), (0.5,), (0.5,))
    >>> pixels = np.arange(12, dtype=np.uint8).reshape(3, 2, 2, 1)
    >>> probed = Probed({"net": network}, image_batches(network, pixels, [[2, 1], [0, 3], [1, 1]]))
    >>> describe_probes(probe_network(probed, "gradients")).title
    'Inside net'
    """
    probed, results = findings.probed, findings.parts
    facts: list[tuple[str, Any]] = [("items", len(probed.images)), ("classes", len(probed.network.classes))]
    facts += [("compared with", name) for name in probed.names[1:]]
    facts += [(f"images of {name}", len(table)) for name, table in probed.outside.items()]
    sentences = [result.answer(probed) for result in results.values()]
    cards = [card for result in results.values() if (card := result.card(probed)) is not None]
    remarks = [Text(remark, "remark") for remark in findings.remarks]
    sections = [Section("", [Cards(cards)], detail=True)] if len(cards) > 1 else []
    sections += [Section("Remarks", remarks)] if remarks else []
    for place, (name, result) in enumerate(results.items()):
        opening = [Text(sentences[place])] if place >= ANSWERS else []  # the page opens with the others
        sections.append(Section(PROBES[name].title, [*opening, *result.blocks(probed)]))
    return Document(
        f"Inside {probed.names[0]}",
        " ".join(sentences[:ANSWERS]),
        [*facts, ("seed", probed.seed)],
        sections,
        subtitle=title,
        name="probes",
    )
