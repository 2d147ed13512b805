"""Reads the jobs that examples/jobs wrote with what the schedulers publish: the schemas of SkyPilot's tasks and resources, the
models of Kubeflow Trainer's TrainJob, and ShellCheck for scripts.

`cargo xtask test --exports` installs them and runs this file; what is not installed is skipped, which is said. --crd names
manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml of kubeflow/trainer, which no package has.
"""

import argparse
import importlib.metadata
import importlib.util
import subprocess
import sys
import types
from pathlib import Path
from unittest import mock

import yaml

# SC1091: sourced settings stand beside the script. SC2016: a command in single quotes is expanded on its node.
QUIET = "SC1091,SC2016"


def skypilot():
    """The schemas of a task and of its resources, which is validated apart. The package is imported without its clouds."""
    import jsonschema

    package = types.ModuleType("sky")
    package.__path__ = list(importlib.util.find_spec("sky").submodule_search_locations)
    package.__version__ = importlib.metadata.version("skypilot")
    sys.modules["sky"] = package
    autostop = mock.MagicMock()
    autostop.AutostopWaitFor.supported_modes.return_value = ["jobs"]
    sys.modules |= {"sky.skylet.autostop_lib": autostop, "sky.server.daemons": mock.MagicMock()}
    from sky.utils import schemas

    task, resources = (jsonschema.Draft202012Validator(of()) for of in (schemas.get_task_schema, schemas.get_resources_schema))

    def check(file):
        read = yaml.safe_load(file.read_text())
        task.validate(read)
        resources.validate(read["resources"])

    return check


def kubeflow():
    """The models ignore unknown fields: what they read is compared with the file."""
    from kubeflow_trainer_api.models import TrainerV1alpha1TrainJob

    def check(file):
        job = yaml.safe_load(file.read_text())
        read = TrainerV1alpha1TrainJob.from_dict(job).to_dict()
        if read != job:
            raise ValueError(f"read as {read}")

    return check


def closed(schema):
    """A schema of a CRD in which unknown fields are refused, where Kubernetes drops them."""
    if isinstance(schema, dict):
        if schema.pop("x-kubernetes-int-or-string", False):
            schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        closed(part)


def definition(path):
    import jsonschema

    versions = yaml.safe_load(path.read_text())["spec"]["versions"]
    schema = next(one["schema"]["openAPIV3Schema"] for one in versions if one["name"] == "v1alpha1")
    closed(schema)
    validator = jsonschema.Draft202012Validator(schema)
    return lambda file: validator.validate(yaml.safe_load(file.read_text()))


def shell():
    program = Path(sys.executable).parent / "shellcheck"
    if not program.exists():
        raise ImportError("shellcheck")

    def check(file):
        words = [program, "--shell=bash", f"--exclude={QUIET}", file]
        told = subprocess.run(words, capture_output=True, text=True, check=False)
        if told.returncode:
            raise ValueError(told.stdout)

    return check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--crd", type=Path)
    options = parser.parse_args()
    checks = [(skypilot, "skypilot.yaml"), (kubeflow, "trainjob.yaml")]
    checks += [(shell, name) for name in ("job.sbatch", "srun.sh", "torchrun.sh")]
    if options.crd:
        checks.append((lambda: definition(options.crd), "trainjob.yaml"))
    passed, failed, skipped = 0, 0, 0
    for made, name in checks:
        try:
            check = made()
        except (ImportError, AttributeError, importlib.metadata.PackageNotFoundError) as missing:
            print(f"{name}: skipped: {missing}")
            skipped += 1
            continue
        files = sorted(options.folder.glob(f"*/{name}"))
        wrong = []
        for file in files:
            try:
                check(file)
            except Exception as error:
                wrong.append(f"    {file}: {type(error).__name__}: {' '.join(str(error).split())[:400]}")
        passed, failed = passed + len(files) - len(wrong), failed + len(wrong) + (not files)
        print("\n".join([f"{name}: {len(files) - len(wrong)} of {len(files)} accepted", *wrong[:10]]))
    print(f"test result: {'FAILED' if failed else 'ok'}. {passed} passed; {failed} failed; {skipped} ignored")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
