"""Small tensors gain nothing from several threads, and threads of several test processes wait for each other."""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # of processes that tests start

import threadpoolctl
import torch

torch.set_num_threads(1)
threadpoolctl.threadpool_limits(1)
