"""A Ray cluster of two nodes on this machine, each with one CPU, one of which dies."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest

from dissensus.study.run import run_study
from tests.facts import refuses
from tests.study.small_studies import contents, mixed_study, state_and_parent, undisturbed, wait_until

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install -c constraints.txt '.[ray]'")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
def test_a_cluster_that_loses_a_node_gives_what_this_process_gives(tmp_path):
    from ray.cluster_utils import Cluster

    from dissensus.study.engines.on_ray import RayEngine

    submitted, begun, lost = [], tmp_path / "begun", tmp_path / "lost"
    begun.mkdir()

    def arrived(items):
        """What a worker does with the data of its first job: it waits until the node is lost."""
        (begun / str(os.getpid())).touch()
        while not lost.exists():
            time.sleep(0.02)
        return items

    class Held:
        def __init__(self, items):
            self.items = items

        def __reduce__(self):
            return arrived, (self.items,)

    class Watched(RayEngine):
        def send(self, data):
            super().send({name: Held(items) for name, items in data.items()})

        def submit(self, job):
            submitted.append(job.tasks[0].key)
            return super().submit(job)

    small = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=small)
    try:
        second = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)

        def lose_a_node():
            raylet = second.all_processes["raylet"][0].process.pid
            try:
                wait_until(lambda: any(state_and_parent(int(at.name))[1] == raylet for at in begun.iterdir()))
                second.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)
            finally:
                lost.touch()

        threading.Thread(target=lose_a_node, daemon=True).start()
        engine = Watched(cluster.address)
        assert engine.workers == 2
        ran = run_study(mixed_study(), tmp_path / "study", engine=engine)
        assert not ray.is_initialized(), "whoever starts it ends it"
    finally:
        cluster.shutdown()
    assert ran.failures == {} and contents(tmp_path / "study") == undisturbed(mixed_study)
    assert len(submitted) > len(set(submitted)), "what the node was at was done again"


def test_an_address_where_no_cluster_is_gets_one_line_at_once():
    from dissensus.study.engines.on_ray import RayEngine

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens there
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with refuses("no Ray", address, "Connection refused"):
            _ = RayEngine(address).workers
