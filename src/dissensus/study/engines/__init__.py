"""The engines that run the cells of a study.

engine      what every engine has, and the one that works in this process
processes   processes of this machine, of which one may die
executors   executors of concurrent.futures, and Dask clients
on_ray, on_slurm   clusters
catalogue   the engines by name
choose      an engine by its name, or by the cells of a study
"""
