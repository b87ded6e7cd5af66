# An image of Parley; `python -m parley.worker` unless told otherwise. PINS says what it holds beside the code: what a
# worker imports (worker), or the command line, scripted models and the libraries of studies too (tools).
# Everything is pinned by hash: what was changed on its way here is not installed.

FROM python:3.12-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build

# The pins come before the code, so that a change of code does not install everything again.
ARG PINS=worker
COPY requirements requirements
RUN python -m venv /opt/tools && /opt/tools/bin/pip install --require-hashes --no-deps -r requirements/build.txt
RUN python -m venv /opt/parley && /opt/parley/bin/pip install --require-hashes --no-deps -r requirements/${PINS}.txt

COPY . .
RUN /opt/tools/bin/python -m hatchling build -t wheel -d /build/wheel \
    && /opt/parley/bin/pip install --no-deps --no-index /build/wheel/*.whl


FROM python:3.12-slim-bookworm
# The home holds nothing that must last: results are in the database, texts in the blob directory.
ENV PATH=/opt/parley/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PARLEY_HOME=/run/parley \
    PARLEY_BLOBS=/var/lib/parley/blobs
RUN groupadd --gid 10001 parley \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /run/parley --shell /usr/sbin/nologin parley \
    && install -d -o parley -g parley -m 0700 /run/parley /var/lib/parley /var/lib/parley/blobs
COPY --from=build /opt/parley /opt/parley
WORKDIR /run/parley
USER 10001:10001

# A worker writes its process id when it polls; it lives as long as that process does.
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
    CMD ["python", "-c", "import os, pathlib, sys; from parley.runtime.file_locks import running_process as pid; sys.exit(pid(pathlib.Path(os.environ['PARLEY_HOME'], 'worker.pid')) is None)"]
CMD ["python", "-m", "parley.worker"]
