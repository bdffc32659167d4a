# One image for every part of Wellread; the command says which: api, worker QUEUE, beat, flower, migrate, up.
FROM python:3.11-slim@sha256:db3ff2e1800a8581e2c48a27c3995339d47bdf046da21c7627accd3d51053a93 AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /opt/build && python -m venv --without-pip /opt/wellread

# What seldom changes first, by hash and without any package's build script.
COPY requirements-build.lock requirements.lock ./
RUN /opt/build/bin/pip install --require-hashes --no-deps --only-binary :all: -r requirements-build.lock \
    && /opt/build/bin/pip --python /opt/wellread/bin/python install \
        --require-hashes --no-deps --only-binary :all: -r requirements.lock

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY domain domain
COPY text text
COPY pipeline pipeline
COPY crawler crawler
COPY store store
COPY workers workers
COPY wellread wellread
COPY api api
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /tmp/wheel . \
    && /opt/build/bin/pip --python /opt/wellread/bin/python install --no-deps /tmp/wheel/*.whl

FROM python:3.11-slim@sha256:db3ff2e1800a8581e2c48a27c3995339d47bdf046da21c7627accd3d51053a93
# A new, empty volume mounted on /data takes this folder's owner.
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin wellread \
    && install --directory --owner=10001 --group=10001 /data
COPY --from=build /opt/wellread /opt/wellread
ENV PATH=/opt/wellread/bin:$PATH \
    HOME=/data \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    WELLREAD_DATA_DIR=/data \
    WELLREAD_API_HOST=0.0.0.0 \
    WELLREAD_API_PORT=8484
WORKDIR /data
VOLUME /data
USER 10001:10001
EXPOSE 8484
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8484/healthz', timeout=4)"]
# Alone, the image runs the whole embedded stack. Bound to every address, the API wants WELLREAD_API_KEYS before it starts.
CMD ["wellread", "up"]
