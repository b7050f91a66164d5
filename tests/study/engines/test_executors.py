"""A Dask client that somebody hands in."""

from __future__ import annotations

import pytest

from dissensus.study.engines.choose import as_engine
from dissensus.study.engines.executors import Dask
from dissensus.study.run import run_study
from tests.study.small_studies import contents, mixed_study, undisturbed

distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")


@pytest.mark.filterwarnings("ignore")
def test_a_client_of_dask_carries_a_study_also_where_its_workers_are_threads_and_stays_open(tmp_path):
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert isinstance(as_engine(client), Dask) and as_engine(client).workers == 1
        run_study(mixed_study(), tmp_path, engine=client)
        assert client.submit(abs, -3).result() == 3
    assert contents(tmp_path) == undisturbed(mixed_study)
