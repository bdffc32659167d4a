"""The manifests keep the compose file's promises: the same commands, single writers, time to end, cheap probes."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.operations.metrics import METRICS
from domain.flow import QUEUES, WORKERS, WRITER
from tests.containers.files import COMPOSE, SECRET, SETTINGS
from workers.app import app

FOLDER = Path(__file__).parent.parent / "docs/kubernetes"
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
POD: dict[str, Any] = yaml.safe_load((FOLDER / "pod.yaml").read_text())["spec"]["template"]["spec"]
OBJECTS: dict[tuple[str, str], dict[str, Any]] = {
    (each["kind"], each["metadata"]["name"]): each
    for each in chain.from_iterable(
        yaml.safe_load_all((FOLDER / name).read_text()) for name in KUSTOMIZATION["resources"]
    )
}
RUNNING = {name: each["spec"] for (kind, name), each in OBJECTS.items() if kind in ("Deployment", "Job")}
SCALERS = [each["spec"] for (kind, _), each in OBJECTS.items() if kind == "HorizontalPodAutoscaler"]


def pod(name: str) -> dict[str, Any]:
    found: dict[str, Any] = RUNNING[name]["template"]["spec"]
    return found


def container(name: str) -> dict[str, Any]:
    (found,) = pod(name)["containers"]
    assert found["name"] == "wellread"
    return dict(found)


def test_every_file_of_the_folder_is_used() -> None:
    used = {*KUSTOMIZATION["resources"], *(patch["path"] for patch in KUSTOMIZATION["patches"]), "kustomization.yaml"}
    used |= {name for generator in KUSTOMIZATION["configMapGenerator"] for name in generator["envs"]}
    assert {path.name for path in FOLDER.iterdir()} == used | {"adapter-values.yaml"}  # that is the Helm chart's


def test_every_part_runs_the_command_that_compose_runs() -> None:
    ours = {
        name: each["command"] for name, each in COMPOSE["services"].items() if each.get("image") == "wellread:local"
    }
    assert {name: container(name)["args"] for name in RUNNING} == ours


def test_tables_are_made_by_a_job() -> None:
    assert {kind for kind, name in OBJECTS if name == "migrate"} == {"Job"}
    assert RUNNING["migrate"]["backoffLimit"] > 0
    assert pod("migrate")["restartPolicy"] == "OnFailure"


@pytest.mark.parametrize("name", [WRITER.name, "beat"])
def test_single_parts_are_never_two(name: str) -> None:
    assert RUNNING[name]["replicas"] == 1
    assert RUNNING[name]["strategy"] == {"type": "Recreate"}
    assert name not in {spec["scaleTargetRef"]["name"] for spec in SCALERS}


@pytest.mark.parametrize("queue", WORKERS)
def test_a_worker_that_stops_may_end_what_it_has_begun(queue: str) -> None:
    assert pod(queue)["terminationGracePeriodSeconds"] == app.conf.task_time_limit + 10


@pytest.mark.parametrize("name", [*WORKERS, "beat"])
def test_workers_and_beat_are_asked_by_a_look_at_a_file(name: str) -> None:
    (alive,) = [each["value"] for each in POD["containers"][0]["env"] if each["name"] == "WELLREAD_ALIVE_FILE"]
    for probe in ("startupProbe", "livenessProbe"):
        found = container(name)[probe]
        assert found["exec"]["command"] == ["sh", "-c", f"find {alive} -newermt '-60 seconds' | grep -q ."]
        assert found["periodSeconds"] * found["failureThreshold"] >= 300  # a broker may be away for some minutes


def test_the_api_is_asked_whether_it_lives() -> None:
    probes = [container("api")[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    assert probes == ["/healthz"] * 3


@pytest.mark.parametrize("name", sorted(RUNNING))
def test_every_pod_matches_its_selector_and_has_a_bound(name: str) -> None:
    if name != "migrate":  # a job chooses its own labels
        assert RUNNING[name]["selector"]["matchLabels"] == RUNNING[name]["template"]["metadata"]["labels"]
    assert container(name)["resources"]["limits"]["memory"]
    assert container(name)["resources"]["requests"].keys() == {"cpu", "memory"}


def test_pods_have_no_right_that_they_do_not_need() -> None:
    assert {patch["target"]["kind"] for patch in KUSTOMIZATION["patches"] if patch["path"] == "pod.yaml"} == {
        "Deployment",
        "Job",
    }
    assert POD["automountServiceAccountToken"] is False
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["securityContext"]["runAsUser"] == 10001
    (ours,) = POD["containers"]
    assert ours["name"] == "wellread"
    assert ours["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {mount["mountPath"] for mount in ours["volumeMounts"]} == {"/data", "/tmp", "/run/secrets"}
    assert {mount["name"] for mount in ours["volumeMounts"]} == {volume["name"] for volume in POD["volumes"]}


def test_only_settings_that_exist_are_set_and_no_secret_among_them() -> None:
    text = (FOLDER / "settings.env").read_text()
    named = set(re.findall(r"^([A-Z_]+)=", text, re.MULTILINE))
    named |= {each["name"] for name in RUNNING for each in container(name).get("env", [])}
    named |= {each["name"] for each in POD["containers"][0]["env"]}
    assert named <= SETTINGS
    assert {name.lower() for name in named} & SECRET == set()
    assert "@" in text
    assert not re.search(r"//[^/@\s]*:[^/@\s]+@", text)  # no password in a URL


def test_work_is_scaled_by_what_waits() -> None:
    assert {spec["scaleTargetRef"]["name"] for spec in SCALERS} == {
        queue.name for queue in QUEUES.values() if queue.size and queue.name != "model"
    }
    (rule,) = yaml.safe_load((FOLDER / "adapter-values.yaml").read_text())["rules"]["external"]
    for spec in SCALERS:
        (metric,) = spec["metrics"]
        asked = metric["external"]["metric"]
        assert asked["name"] == rule["seriesQuery"]
        assert asked["name"] in METRICS
        assert set(asked["selector"]["matchLabels"]) <= set(METRICS[asked["name"]][1])
        assert asked["selector"]["matchLabels"]["queue"] == spec["scaleTargetRef"]["name"]
        assert "replicas" not in RUNNING[spec["scaleTargetRef"]["name"]]  # else each `apply` undoes it
        assert spec["minReplicas"] <= spec["maxReplicas"]
    assert set(re.findall(r"by \(([^)]*)\)", rule["metricsQuery"])[0].split(", ")) == set(METRICS["wellread_due"][1])
