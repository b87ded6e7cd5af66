"""A study on two machines of which one loses its power or its network.

``python -m bench.machines`` runs a study for each fault. Both workers are on machines of their own: a Linux network
namespace with its own host name and processes, so it needs root and PostgreSQL. Server, ledger and scripted models are
outside of both, as in an installation on several machines.
"""
