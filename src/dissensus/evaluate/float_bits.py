"""Floats and the integers with the same bits, inside compiled loops.

For numbers of 0 and above the bits rise with the number, so that sorting integers sorts them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


def _bits_of_double(context: Any, value: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


def _double_of_bits(context: Any, value: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


def _bits_of_single(context: Any, value: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        single = builder.fptrunc(arguments[0], ir.FloatType())
        return builder.zext(builder.bitcast(single, ir.IntType(32)), ir.IntType(64))

    return types.uint64(types.float64), generate


def _single_of_bits(context: Any, value: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        single = builder.bitcast(builder.trunc(arguments[0], ir.IntType(32)), ir.FloatType())
        return builder.fpext(single, ir.DoubleType())

    return types.float64(types.uint64), generate


bits_of_double: Any = intrinsic(_bits_of_double)  # float64 -> int64
double_of_bits: Any = intrinsic(_double_of_bits)  # int64 -> float64
bits_of_single: Any = intrinsic(_bits_of_single)  # float64, rounded to single precision -> uint64 below 2^32
single_of_bits: Any = intrinsic(_single_of_bits)  # uint64 below 2^32 -> float64
