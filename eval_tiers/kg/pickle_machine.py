"""A machine for pickles that can build nothing but plain data.

It interprets the opcodes itself. Globals in a pickle become `Allowed` values or are refused, and
only an `Allowed` value can be called, so no code of a pickle's choosing is ever reached: not by
import, attribute, reduce, persistent id or extension code. Sizes are checked against what is
left of the file, and dictionary keys are flat, so that small files can't ask for much memory or
time.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

MAX_KEY_PARTS = 16
MAX_MARKS = 10_000
MAX_STACK = 10_000_000
OPCODES_BETWEEN_CHECKS = 10_000
STOP = 0x2E

_UINT32 = struct.Struct("<I")
_SCALARS = (str, int, float, bool, bytes, complex, type(None))


class PickleFault(Exception):
    """The bytes are no pickle, a damaged one, or one with opcodes that are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """A global that a pickle may name.

    Attributes
    ----------
    name : str
        As the pickle spells it.
    build : callable
        Arguments -> value, when the pickle calls it. Must check its arguments.
    """

    name: str
    build: Callable[[tuple[object, ...]], object]


class Stateful:
    """A value that takes a state once it is made (opcode BUILD)."""

    def take_state(self, state: object) -> None:
        """Keep what is needed of the state."""
        raise NotImplementedError


def is_flat(value: object) -> bool:
    """Tell whether a value may be a dictionary key: a scalar, or a short tuple of scalars."""
    if isinstance(value, _SCALARS):
        return True
    return (
        isinstance(value, tuple)
        and len(value) <= MAX_KEY_PARTS
        and all(isinstance(part, _SCALARS) for part in value)
    )


def run_pickle(data: bytes, find_global: Callable[[str, str], Allowed]) -> object:
    """Interpret a pickle of any protocol and return what it holds.

    Parameters
    ----------
    data : bytes
        The pickle; what follows its STOP is not looked at.
    find_global : callable
        Module and name -> `Allowed`; raises for one that is refused.

    Raises
    ------
    PickleFault
        For damaged or refused input; and whatever `find_global` raises.
    """
    machine = _Machine(data, find_global)
    try:
        return machine.run()
    except (IndexError, KeyError) as error:
        raise PickleFault(f"damaged at byte {machine.at}: nothing to take") from error
    except (ValueError, OverflowError, struct.error, TypeError) as error:
        raise PickleFault(f"damaged at byte {machine.at}: {error}") from error
    except (MemoryError, RecursionError) as error:
        raise PickleFault(f"too large or too deep at byte {machine.at}") from error


class _Machine:
    """Stack, marks and memo; one method an opcode."""

    def __init__(self, data: bytes, find_global: Callable[[str, str], Allowed]) -> None:
        self.data = data
        self.at = 0
        self.stack: list[object] = []
        self.marks: list[list[object]] = []
        self.memo: dict[int, object] = {}
        self.find_global = find_global
        self.copied = 0

    def run(self) -> object:
        data, handlers = self.data, _HANDLERS
        while len(self.stack) <= MAX_STACK and len(self.marks) <= MAX_MARKS:
            for _ in range(OPCODES_BETWEEN_CHECKS):
                code = data[self.at]
                self.at += 1
                handler = handlers[code]
                if handler is None:
                    if code == STOP:
                        return self.stack.pop()
                    raise PickleFault(
                        f"byte {self.at - 1} holds opcode 0x{code:02x}, "
                        + _REFUSED.get(code, "which no pickle has")
                    )
                handler(self)
        raise PickleFault(f"too deep at byte {self.at}")

    def take(self, size: int) -> bytes:
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise PickleFault(f"cut off at byte {self.at}: {size} bytes are wanted")
        part = self.data[self.at : end]
        self.at = end
        return part

    def line(self) -> bytes:
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise PickleFault(f"cut off at byte {self.at}: a line has no end")
        part = self.data[self.at : end]
        self.at = end + 1
        return part

    def number(self, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "little", signed=signed)

    def items(self) -> list[object]:
        """Return what lies above the last mark and take both off."""
        items = self.stack
        self.stack = self.marks.pop()
        return items

    # Scalars

    def proto(self) -> None:
        version = self.number(1)
        if version > 5:
            raise PickleFault(f"pickle protocol {version} is newer than any known")

    def frame(self) -> None:
        if self.number(8) > len(self.data) - self.at:
            raise PickleFault(f"cut off at byte {self.at}: a frame is longer than the file")

    def int_line(self) -> None:
        text = self.line()
        self.stack.append(
            {b"00": False, b"01": True}[text] if text in (b"00", b"01") else int(text)
        )

    def long_line(self) -> None:
        self.stack.append(int(self.line().rstrip(b"L")))

    def float_line(self) -> None:
        self.stack.append(float(self.line()))

    def binint1(self) -> None:
        self.stack.append(self.data[self.at])
        self.at += 1

    def binfloat(self) -> None:
        self.stack.append(struct.unpack(">d", self.take(8))[0])

    def string_line(self) -> None:
        text = self.line().strip()
        if len(text) < 2 or text[:1] != text[-1:] or text[:1] not in (b"'", b'"'):
            raise PickleFault(f"damaged at byte {self.at}: a string without quotes")
        self.stack.append(text[1:-1].decode("unicode_escape"))

    def unicode_line(self) -> None:
        self.stack.append(self.line().decode("raw_unicode_escape"))

    def utf8(self, size: int) -> None:
        self.stack.append(self.take(size).decode("utf-8", "surrogatepass"))

    # Containers

    def mark(self) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def pop(self) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self.items()

    def make_list(self) -> None:
        items = self.items()
        self.stack.append(items)

    def make_tuple(self, size: int) -> None:
        parts = tuple(self.stack[-size:])
        if len(parts) != size:
            raise IndexError
        self.stack[-size:] = [parts]

    def mark_tuple(self) -> None:
        items = self.items()
        self.stack.append(tuple(items))

    def make_dict(self) -> None:
        items = self.items()
        self.stack.append(self.filled({}, items))

    def make_frozenset(self) -> None:
        items = self.items()
        self.stack.append(frozenset(map(_require_key, items)))

    def append(self) -> None:
        value = self.stack.pop()
        self.top(list).append(value)

    def appends(self) -> None:
        items = self.items()
        self.top(list).extend(items)

    def setitem(self) -> None:
        value = self.stack.pop()
        key = self.stack.pop()
        self.top(dict)[key if type(key) is str else _require_key(key)] = value

    def setitems(self) -> None:
        items = self.items()
        self.filled(self.top(dict), items)

    def additems(self) -> None:
        items = self.items()
        self.top(set).update(map(_require_key, items))

    def filled(self, target: dict[object, object], items: list[object]) -> dict[object, object]:
        if len(items) % 2:
            raise PickleFault(f"damaged at byte {self.at}: a key without a value")
        for place in range(0, len(items), 2):
            key = items[place]
            target[key if type(key) is str else _require_key(key)] = items[place + 1]
        return target

    def top(self, kind: type[T]) -> T:
        value = self.stack[-1]
        if not isinstance(value, kind):
            raise PickleFault(f"damaged at byte {self.at}: a {kind.__name__} is wanted")
        return value

    # Memo

    def get_line(self) -> None:
        self.stack.append(self.memo[int(self.line())])

    def get_short(self) -> None:
        self.stack.append(self.memo[self.data[self.at]])
        self.at += 1

    def get_long(self) -> None:
        self.stack.append(self.memo[_UINT32.unpack_from(self.data, self.at)[0]])
        self.at += 4

    def put_line(self) -> None:
        self.memo[int(self.line())] = self.stack[-1]

    def put_short(self) -> None:
        self.memo[self.data[self.at]] = self.stack[-1]
        self.at += 1

    def put_long(self) -> None:
        self.memo[_UINT32.unpack_from(self.data, self.at)[0]] = self.stack[-1]
        self.at += 4

    def memoize(self) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    # Objects

    def global_line(self) -> None:
        module, name = self.line().decode("utf-8"), self.line().decode("utf-8")
        self.stack.append(self.find_global(module, name))

    def stack_global(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise PickleFault(f"damaged at byte {self.at}: a global without a name")
        self.stack.append(self.find_global(module, name))

    def call(self) -> None:
        arguments, target = self.stack.pop(), self.stack.pop()
        if not isinstance(target, Allowed) or not isinstance(arguments, tuple):
            raise PickleFault(f"byte {self.at - 1} calls what is no class of a graph")
        made = target.build(arguments)
        if isinstance(made, (list, dict, set, frozenset, str, bytes)):
            self.copied += len(made)
            if self.copied > 4 * len(self.data):
                raise PickleFault(f"byte {self.at - 1} makes more data than the file holds")
        self.stack.append(made)

    def call_with_names(self) -> None:
        if self.stack.pop() != {}:
            raise PickleFault(f"byte {self.at - 1} makes an object with named arguments")
        self.call()

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if not isinstance(target, Stateful):
            raise PickleFault(f"byte {self.at - 1} sets the state of plain data")
        target.take_state(state)


def _require_key(value: object) -> object:
    if not is_flat(value):
        raise PickleFault(f"a dictionary key or set member is a {type(value).__name__} with parts")
    return value


def _push(value: Callable[[], object]) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(value())


_NAMED: Mapping[bytes, Callable[[_Machine], None]] = {
    b"\x80": _Machine.proto,
    b"\x95": _Machine.frame,
    b"N": _push(lambda: None),
    b"\x88": _push(lambda: True),
    b"\x89": _push(lambda: False),
    b"I": _Machine.int_line,
    b"J": lambda machine: machine.stack.append(machine.number(4, signed=True)),
    b"K": _Machine.binint1,
    b"M": lambda machine: machine.stack.append(machine.number(2)),
    b"L": _Machine.long_line,
    b"\x8a": lambda machine: machine.stack.append(machine.number(machine.number(1), signed=True)),
    b"\x8b": lambda machine: machine.stack.append(machine.number(machine.number(4), signed=True)),
    b"F": _Machine.float_line,
    b"G": _Machine.binfloat,
    b"S": _Machine.string_line,
    b"T": lambda machine: machine.stack.append(machine.take(machine.number(4)).decode("latin-1")),
    b"U": lambda machine: machine.stack.append(machine.take(machine.number(1)).decode("latin-1")),
    b"V": _Machine.unicode_line,
    b"X": lambda machine: machine.utf8(machine.number(4)),
    b"\x8c": lambda machine: machine.utf8(machine.number(1)),
    b"\x8d": lambda machine: machine.utf8(machine.number(8)),
    b"B": lambda machine: machine.stack.append(machine.take(machine.number(4))),
    b"C": lambda machine: machine.stack.append(machine.take(machine.number(1))),
    b"\x8e": lambda machine: machine.stack.append(machine.take(machine.number(8))),
    b"\x96": lambda machine: machine.stack.append(machine.take(machine.number(8))),
    b"(": _Machine.mark,
    b"0": _Machine.pop,
    b"1": lambda machine: machine.items().clear(),
    b"2": lambda machine: machine.stack.append(machine.stack[-1]),
    b"]": _push(list),
    b"l": _Machine.make_list,
    b"a": _Machine.append,
    b"e": _Machine.appends,
    b")": _push(tuple),
    b"t": _Machine.mark_tuple,
    b"\x85": lambda machine: machine.make_tuple(1),
    b"\x86": lambda machine: machine.make_tuple(2),
    b"\x87": lambda machine: machine.make_tuple(3),
    b"}": _push(dict),
    b"d": _Machine.make_dict,
    b"s": _Machine.setitem,
    b"u": _Machine.setitems,
    b"\x8f": _push(set),
    b"\x90": _Machine.additems,
    b"\x91": _Machine.make_frozenset,
    b"g": _Machine.get_line,
    b"h": _Machine.get_short,
    b"j": _Machine.get_long,
    b"p": _Machine.put_line,
    b"q": _Machine.put_short,
    b"r": _Machine.put_long,
    b"\x94": _Machine.memoize,
    b"c": _Machine.global_line,
    b"\x93": _Machine.stack_global,
    b"R": _Machine.call,
    b"\x81": _Machine.call,
    b"\x92": _Machine.call_with_names,
    b"b": _Machine.build,
}
_HANDLERS = [_NAMED.get(bytes((code,))) for code in range(256)]
_REFUSED = {
    **dict.fromkeys(b"PQ", "a persistent id: a part kept elsewhere"),
    **dict.fromkeys(b"\x82\x83\x84", "a code of the extension registry"),
    **dict.fromkeys(b"io", "an old-style class instance"),
    **dict.fromkeys(b"\x97\x98", "a buffer kept elsewhere"),
}
