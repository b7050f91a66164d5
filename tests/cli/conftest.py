"""What the tests of verbs share with the tests of their stages."""

from tests.datasets.conftest import server

__all__ = ["server"]
