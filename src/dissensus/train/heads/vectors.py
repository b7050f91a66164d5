"""Eight floats at a time, as a value numba can compute with.

LLVM gives up on vectorising loops whose arrays might overlap, which it cannot rule out for ours. These few
operations are explicit about eight neighbours; on processors with other widths LLVM splits or joins them.
Products and sums may contract to one rounding (FMA), nothing else is reordered.
"""

from __future__ import annotations

import operator
from typing import Any

import numba
from llvmlite import ir
from numba import extending
from numba.core import cgutils as _cgutils
from numba.core import types

WIDTH = 8
# numba states types for some of these, but not of what they make.
cgutils: Any = _cgutils
intrinsic: Any = extending.intrinsic
CONTRACT = ("contract",)


class EightType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="EightFloats")


eight = EightType()
_FLOAT = ir.FloatType()
_INT = ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, WIDTH)
_INTEGERS = ir.VectorType(_INT, WIDTH)


@extending.register_model(EightType)
class _EightModel(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _address(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _VECTOR.as_pointer())


def _eight_times(builder: Any, number: Any) -> Any:
    single = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(_INT, 0))
    return builder.shuffle_vector(single, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_INTEGERS, [0] * WIDTH))


@intrinsic
def load(typing: Any, array: Any, at: Any) -> Any:
    """The eight floats of a contiguous float32 array that begin at a position."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = builder.load(_address(context, builder, signature.args[0], args[0], args[1]))
        values.align = 4
        return values

    return eight(array, types.int64), emit


@intrinsic
def store(typing: Any, array: Any, at: Any, values: Any) -> Any:
    """Write eight floats from a position on."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1])).align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, eight), emit


@intrinsic
def spread(typing: Any, number: Any) -> Any:
    """One number, eight times."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _eight_times(builder, args[0])

    return eight(types.float32), emit


@intrinsic
def spread_from(typing: Any, array: Any, at: Any) -> Any:
    """The number at a position, eight times; unlike array[at] it does not ask whether the position is negative."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).data
        return _eight_times(builder, builder.load(builder.gep(data, [args[1]])))

    return eight(array, types.int64), emit


@intrinsic
def total(typing: Any, values: Any) -> Any:
    """The sum of the eight, in a tree."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (rest,) = args
        for width in (4, 2, 1):
            parts = [
                builder.shuffle_vector(
                    rest, rest, ir.Constant(ir.VectorType(_INT, width), list(range(first, first + width)))
                )
                for first in (0, width)
            ]
            rest = builder.fadd(*parts)
        return builder.extract_element(rest, ir.Constant(_INT, 0))

    return types.float32(eight), emit


@intrinsic
def power_of_two(typing: Any, values: Any) -> Any:
    """2^n for whole n from -126 to 127, by writing the exponent."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = builder.fptosi(args[0], _INTEGERS)
        exponent = builder.add(whole, ir.Constant(_INTEGERS, [127] * WIDTH))
        return builder.bitcast(builder.shl(exponent, ir.Constant(_INTEGERS, [23] * WIDTH)), _VECTOR)

    return eight(eight), emit


def _llvm(name: str, operands: int) -> Any:
    """An operation of LLVM on eight floats."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * operands)
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f32")
        return builder.call(function, args)

    if operands == 1:

        @intrinsic
        def unary(typing: Any, a: Any) -> Any:
            return eight(eight), emit

        return unary

    @intrinsic
    def binary(typing: Any, a: Any, b: Any) -> Any:
        return eight(eight, eight), emit

    return binary


root = _llvm("sqrt", 1)
nearest = _llvm("rint", 1)
magnitude = _llvm("fabs", 1)
with_sign = _llvm("copysign", 2)
larger = _llvm("maxnum", 2)


def _operator(symbol: Any, instruction: str) -> None:
    @intrinsic
    def combine(typing: Any, a: Any, b: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args, flags=CONTRACT)

        return eight(eight, eight), emit

    @extending.overload(symbol, inline="always")
    def _overload(a: Any, b: Any) -> Any:
        def implementation(a: Any, b: Any) -> Any:
            return combine(a, b)

        return implementation if a is eight and b is eight else None


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _operator(_symbol, _instruction)

njit: Any = numba.njit(cache=True, nogil=True, error_model="numpy")
inlined: Any = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
