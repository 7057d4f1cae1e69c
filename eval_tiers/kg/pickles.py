"""Reading NetworkX graphs out of pickles of any protocol, safely and without NetworkX.

What a pickle may name is the allow-list here: NetworkX's graph classes and their views, plain
containers, NumPy scalars and dtypes without objects. Each becomes plain data of our own; no class
or function is imported, and none is called. See `eval_tiers.kg.pickle_machine`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.pickle_machine import Allowed, PickleFault, Stateful, is_flat, run_pickle

CONVERT = (
    "if you trust the file, make a table of it where it loads (an old NetworkX needs an old "
    """environment): python -c 'import pickle; G = pickle.load(open("kg.pkl", "rb")); """
    """open("kg.tsv", "w").writelines(["source\\ttarget\\tsign\\n"] + """
    """["%s\\t%s\\t%s\\n" % (a, b, d.get("sign", 0)) for a, b, d in G.edges(data=True)])'"""
)

_GRAPHS = {
    "networkx.classes.graph": ("Graph",),
    "networkx.classes.digraph": ("DiGraph",),
    "networkx.classes.multigraph": ("MultiGraph",),
    "networkx.classes.multidigraph": ("MultiDiGraph",),
    "networkx.classes.ordered": (
        "OrderedGraph",
        "OrderedDiGraph",
        "OrderedMultiGraph",
        "OrderedMultiDiGraph",
    ),
}
_VIEW = re.compile(r"[A-Z][A-Za-z]*View\Z")
_VIEW_MODULES = {"networkx.classes.coreviews", "networkx.classes.reportviews"}
_DTYPE = re.compile(r"[biufcSU]\d{1,9}\Z")


class StoredGraph(Stateful):
    """A graph as a pickle holds it.

    Attributes
    ----------
    class_name : str
        ``DiGraph`` and so on.
    state : dict
        The object's attributes; empty until they are set.
    """

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name
        self.state: dict[object, object] = {}

    def take_state(self, state: object) -> None:
        """Keep the attributes."""
        if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict):
            state = state[0]
        if not isinstance(state, dict):
            raise PickleFault(f"the state of a {self.class_name} is no dictionary")
        self.state = state


class Opaque(Stateful):
    """A view or an array: allowed in a graph, and not looked at."""

    def take_state(self, state: object) -> None:
        """Forget the state; refuse an array of objects."""
        if isinstance(state, tuple) and any(
            isinstance(part, StoredDtype) and part.code.startswith("O") for part in state
        ):
            raise PickleFault("it holds a NumPy array of Python objects")


class StoredDtype(Stateful):
    """A NumPy dtype: its code (``i8``) and byte order."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.order = "<"

    def take_state(self, state: object) -> None:
        """Keep the byte order."""
        if not isinstance(state, tuple) or len(state) < 2:
            raise PickleFault("a NumPy dtype without a state")
        if state[1] in ("<", ">", "="):
            self.order = str(state[1])


def load_pickle(data: bytes, path: str) -> object:
    """Return what a pickle holds, as plain data, `StoredGraph` and `Opaque` values.

    Parameters
    ----------
    data : bytes
        A pickle of protocol 0 to 5.
    path : str
        For messages.

    Raises
    ------
    BadInputError
        The pickle names a global that no graph needs (``refused-pickle``), uses persistent ids,
        extension codes or object arrays, is damaged, or asks for absurd sizes. Nothing was run.
    """
    where = SourceRef(path)

    def find_global(module: str, name: str) -> Allowed:
        found = _find(module, name)
        if found is None:
            raise BadInputError(
                Problem(
                    "refused-pickle",
                    f"the pickle wants '{f'{module}.{name}'[:120]}', which no graph needs: "
                    "refused, and nothing in it was run",
                    where,
                    CONVERT,
                )
            )
        return found

    try:
        return run_pickle(data, find_global)
    except PickleFault as error:
        raise BadInputError(
            Problem("bad-pickle", f"the pickle can't be read: {error}", where, CONVERT)
        ) from error


def _find(module: str, name: str) -> Allowed | None:
    if name in _GRAPHS.get(module, ()):
        return Allowed(f"{module}.{name}", _no_arguments(lambda: StoredGraph(name)))
    if module in _VIEW_MODULES and (_VIEW.match(name) or name == "UnionAtlas"):
        return Allowed(f"{module}.{name}", lambda arguments: Opaque())
    return _TABLE.get((module, name))


def _no_arguments(make: Callable[[], object]) -> Callable[[tuple[object, ...]], object]:
    def build(arguments: tuple[object, ...]) -> object:
        if arguments:
            raise PickleFault("a graph class is called with arguments")
        return make()

    return build


def _never(arguments: tuple[object, ...]) -> object:
    raise PickleFault("a type is called that a graph only mentions")


def _reconstruct_object(arguments: tuple[object, ...]) -> object:
    """``copyreg._reconstructor(class, object, None)``, as protocols 0 and 1 write it."""
    if len(arguments) == 3:
        kind, base, state = arguments
        plain = isinstance(base, Allowed) and base.name.endswith(".object") and state is None
        if plain and isinstance(kind, Allowed):
            return kind.build(())
    raise PickleFault("an object is put together in an unusual way")


def _members(arguments: tuple[object, ...]) -> list[object]:
    if not arguments:
        return []
    if len(arguments) != 1 or not isinstance(arguments[0], (list, tuple)):
        raise PickleFault("a set is made of something other than a list")
    if not all(is_flat(member) for member in arguments[0]):
        raise PickleFault("a set member has parts")
    return list(arguments[0])


def _make_dict(arguments: tuple[object, ...]) -> object:
    """Make a dict of any kind, ordered or default: empty (its items follow), or of pairs."""
    if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
        made: dict[object, object] = {}
        for pair in arguments[0]:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not is_flat(pair[0]):
                raise PickleFault("a dictionary is made of something other than pairs")
            made[pair[0]] = pair[1]
        return made
    if arguments and not (arguments[0] is None or isinstance(arguments[0], Allowed)):
        raise PickleFault("a dictionary is made with unusual arguments")
    return {}


def _make_bytes(arguments: tuple[object, ...]) -> object:
    if not arguments:
        return b""
    if isinstance(arguments[0], bytes):
        return arguments[0]
    if isinstance(arguments[0], str) and len(arguments) == 2:
        return _encode(arguments)
    raise PickleFault("bytes are made with unusual arguments")


def _encode(arguments: tuple[object, ...]) -> object:
    """``_codecs.encode(text, 'latin1')``: how protocols below 3 write bytes."""
    text = arguments[0] if arguments else None
    if not isinstance(text, str) or arguments[1:] not in (("latin1",), ("latin-1",)):
        raise PickleFault("text is encoded in an unusual way")
    return text.encode("latin-1")


def _make_complex(arguments: tuple[object, ...]) -> object:
    numbers = [part for part in arguments if isinstance(part, (int, float))]
    if len(numbers) != len(arguments) or len(numbers) > 2:
        raise PickleFault("a complex number is made with unusual arguments")
    return complex(*numbers)


def _make_dtype(arguments: tuple[object, ...]) -> object:
    code = arguments[0] if arguments else None
    if not isinstance(code, str) or len(code) > 12:
        raise PickleFault("a NumPy dtype without a code")
    code = code.lstrip("<>=|")
    if code.startswith("O"):
        raise PickleFault("it holds a NumPy array or scalar of Python objects")
    return StoredDtype(code)


def _make_scalar(arguments: tuple[object, ...]) -> object:
    """Return a NumPy scalar as the plain number or text it is; other kinds unread."""
    dtype, raw = arguments if len(arguments) == 2 else (None, None)
    if not isinstance(dtype, StoredDtype):
        raise PickleFault("a NumPy scalar without a dtype")
    if isinstance(raw, str):
        raw = raw.encode("latin-1")
    if not isinstance(raw, bytes):
        raise PickleFault("a NumPy scalar without bytes")
    if not _DTYPE.match(dtype.code) or not raw:
        return "" if dtype.code.startswith("U") else Opaque()
    kind = np.dtype(dtype.order + dtype.code)
    if kind.itemsize != len(raw):
        raise PickleFault("a NumPy scalar of the wrong size")
    value: object = np.frombuffer(raw, dtype=kind)[0].item()
    return value


def _make_array(arguments: tuple[object, ...]) -> object:
    opaque = Opaque()
    opaque.take_state(arguments)
    return opaque


def _table() -> dict[tuple[str, str], Allowed]:
    builders: dict[tuple[str, str], Callable[[tuple[object, ...]], object]] = {
        ("collections", "OrderedDict"): _make_dict,
        ("collections", "defaultdict"): _make_dict,
        ("_codecs", "encode"): _encode,
        ("numpy", "dtype"): _make_dtype,
        ("numpy", "ndarray"): _never,
    }
    for module in ("builtins", "__builtin__"):
        builders |= {(module, name): _never for name in ("object", "int", "long", "float", "bool")}
        builders |= {(module, name): _never for name in ("str", "unicode", "tuple")}
        builders[module, "dict"] = _make_dict
        builders[module, "list"] = _members
        builders[module, "set"] = lambda arguments: set(_members(arguments))
        builders[module, "frozenset"] = lambda arguments: frozenset(_members(arguments))
        builders[module, "bytes"] = _make_bytes
        builders[module, "bytearray"] = _make_bytes
        builders[module, "complex"] = _make_complex
    for module in ("copyreg", "copy_reg"):
        builders[module, "_reconstructor"] = _reconstruct_object
    for core in ("numpy.core", "numpy._core"):
        builders[f"{core}.multiarray", "scalar"] = _make_scalar
        builders[f"{core}.multiarray", "_reconstruct"] = _make_array
        builders[f"{core}.numeric", "_frombuffer"] = _make_array
    return {key: Allowed(".".join(key), build) for key, build in builders.items()}


_TABLE = _table()
