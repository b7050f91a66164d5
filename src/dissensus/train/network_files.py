"""Networks in files: the weights by their names in the module, and a card; never a pickle."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import nn

from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.train.cards import NETWORK
from dissensus.train.model_files import read_model, write_model, wrong_content
from dissensus.train.network import Network, single_precision
from dissensus.train.networks.catalogue import make_network
from dissensus.train.stored_networks import find_network

_DEEPEST = 10_000  # layers; a recipe that asks for more would only take time and memory
_MEMORY = {"channels last": torch.channels_last, "contiguous": torch.contiguous_format}


def save_network(network: Network, path: str | Path) -> None:
    """Write a network to x.safetensors, with its card in the header and in x.safetensors.json for readers.

    The file contains the state_dict of the module as it is, so `module.load_state_dict(load_file(path))` reads it
    without dissensus. The card has the recipe, from which `load_network` makes the module again; a module of your own
    has none.

    Parameters
    ----------
    network : the network to write
    path : file to write, with the ending .safetensors

    Returns
    -------
    None

    Examples
    --------
    >>> import torch
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> save_network(Network(module, ("cat", "dog"), (0.5,), (0.5,)), "net.safetensors")
    >>> load_network("net.safetensors", module).classes
    ('cat', 'dog')
    """
    module = network.module
    own = {
        "format": NETWORK,
        "recipe": getattr(module, "recipe", None),
        "classes": list(network.classes),
        "mean": list(network.mean),
        "std": list(network.std),
        "memory": _memory(module),
    }
    card = own | network.card | own  # in this order, and the card cannot override the network itself
    tensors = {name: _own(name, value) for name, value in module.state_dict().items()}
    write_model(Path(path), card, lambda metadata: save(tensors, metadata=metadata))


def load_network(path: str | Path, module: nn.Module | None = None) -> Network:
    """Load a network that `save_network` wrote, on the CPU, to the last bit.

    Parameters
    ----------
    path : file to read, or the name of a stored network, such as "cifar10-swift16"
    module : for a network of your own: a module of the same architecture; it is copied, and its weights are not used

    Returns
    -------
    Network

    Examples
    --------
    >>> import torch
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> save_network(Network(module, ("cat", "dog"), (0.5,), (0.5,)), "net.safetensors")
    >>> load_network("net.safetensors", module).classes
    ('cat', 'dog')
    """
    path = find_network(path)
    card, tensors = read_model(path, NETWORK, "pt")
    try:
        recipe, classes = card.pop("recipe"), tuple(_names(card.pop("classes")))
        mean, std, memory = card.pop("mean"), card.pop("std"), _MEMORY[card.pop("memory")]
    except (KeyError, TypeError) as problem:
        raise wrong_content(path, NETWORK, repr(problem)) from None
    made = deepcopy(module) if module is not None else _from_recipe(path, recipe, len(classes), len(tensors))
    _check_weights(path, made, tensors, "its recipe makes" if module is None else "this module has")
    # Assigned, not copied: the module of a recipe has no memory of its own, and strides stay as they are in the file.
    shared = _find_shared(made)
    made.load_state_dict(tensors, assign=True)
    _share(made, shared)
    _check_complete(path, made)
    made = made.to(memory_format=memory)
    try:
        network = Network(made.eval(), classes, mean, std, card)
        takes = made.recipe["channels"] if module is None else network.channels
        if takes != network.channels:
            raise ValueError(f"a recipe for {takes} channels, and a mean for {network.channels}")
        return network
    except (ValueError, TypeError) as problem:
        raise wrong_content(path, NETWORK, problem) from None


def _names(classes: Any) -> list[str]:
    if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
        raise TypeError(f"classes are {classes!r:.80}; expected a list of names")
    return classes


def _memory(module: nn.Module) -> str:
    """The order of the weights in memory; which algorithm multiplies them, and so the last bit, depends on it."""
    images = [value for value in module.parameters() if value.ndim == 4]
    last = [value for value in images if value.is_contiguous(memory_format=torch.channels_last)]
    return "channels last" if images and len(last) == len(images) else "contiguous"


def _own(name: str, value: Any) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise ValueError(
            f"the module keeps {name!r}, a {type(value).__name__}, in its state_dict, which a file of weights cannot "
            "hold; expected tensors alone"
        )
    return value.detach().cpu().contiguous().clone()


def _from_recipe(path: Path, recipe: Any, classes: int, tensors: int) -> Any:
    """The module without weights, which takes neither time nor random numbers.

    Every layer has a tensor in the file at least, so that a recipe cannot ask for more of them than the file is long.
    """
    if recipe is None:
        raise Refusal(
            "was made of a module of one's own, so the file does not contain its architecture and can be loaded only "
            "in Python, with a module of the same architecture",
            str(path),
            [PythonWay("pass one with load_network(path, module=MyNetwork())")],
        )
    try:
        if recipe["classes"] != classes:
            raise ValueError(f"a recipe for {recipe['classes']!r} classes, and {classes} names of classes")
        if isinstance(depth := recipe.get("depth"), int) and depth > min(tensors, _DEEPEST):
            raise ValueError(f"a recipe for {depth} layers, and {tensors} tensors")
        with torch.device("meta"), single_precision():
            return make_network(**recipe)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, OverflowError, MemoryError) as problem:
        raise wrong_content(path, NETWORK, " ".join(str(problem).split("\n")[:1])) from None


def _check_weights(path: Path, module: nn.Module, tensors: dict[str, torch.Tensor], whose: str) -> None:
    """Refuse weights that are not those of the module, before any of them is put into it."""
    expected = {name: _look(value) for name, value in module.state_dict().items()}
    given = {name: _look(value) for name, value in tensors.items()}
    wrong = [name for name in expected if given.get(name) != expected[name]] + [n for n in given if n not in expected]
    if wrong:
        here, there = given.get(wrong[0], "not there"), expected.get(wrong[0], "nothing of that name")
        raise ValueError(
            f"{path}: its weights do not fit: {wrong[0]} is {here} in the file, and {whose} {there}; {len(wrong)} such "
            "tensors differ"
        )


def _find_shared(module: nn.Module) -> list[list[str]]:
    """Names of weights that are one and the same."""
    names: dict[int, list[str]] = {}
    for name, value in module.state_dict(keep_vars=True).items():
        names.setdefault(id(value), []).append(name)
    return [group for group in names.values() if len(group) > 1]


def _share(module: nn.Module, groups: list[list[str]]) -> None:
    """Share them again: assigned tensors are separate, and further training would make them differ."""
    for group in groups:
        places = [(module.get_submodule(owner), leaf) for owner, _, leaf in (name.rpartition(".") for name in group)]
        for owner, leaf in places[1:]:
            setattr(owner, leaf, getattr(*places[0]))


def _look(value: torch.Tensor) -> str:
    return f"{' x '.join(map(str, value.shape)) or 'one number'}, {str(value.dtype).removeprefix('torch.')}"


def _check_complete(path: Path, module: nn.Module) -> None:
    bare = [name for name, value in (*module.named_parameters(), *module.named_buffers()) if value.is_meta]
    if bare:
        raise Refusal(
            f"the module keeps {bare[0]!r} outside its state_dict, so the file does not contain it and can be loaded "
            "only in Python, with a module that has it",
            str(path),
            [PythonWay("pass one with load_network(path, module=...)")],
        )
