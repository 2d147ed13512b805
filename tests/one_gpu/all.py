"""Runs the sections one after another, each in its own process, under one time limit (seconds, first argument)."""
import os, subprocess, sys, time
here = os.path.dirname(os.path.abspath(__file__))
total = float(sys.argv[1]) if len(sys.argv) > 1 else 450
names = sys.argv[2].split(",") if len(sys.argv) > 2 else ["env", "eager", "hf", "kernels", "compiled"]
start = time.time()
end = start + total
cmd = {"env": ["kernels.py", "env"], "eager": ["steps.py", "eager"], "hf": ["steps.py", "hf"], "kernels": ["kernels.py", "matmul", "attention", "host"],
       "matmul": ["kernels.py", "matmul"], "attention": ["kernels.py", "attention"], "host": ["kernels.py", "host"], "compiled": ["steps.py", "compiled"]}
most = {"env": 40, "eager": 140, "hf": 85, "kernels": 90, "compiled": 1e9, "matmul": 60, "attention": 60, "host": 60}
for n in names:
    s = min(end, time.time() + most[n])
    if s - time.time() < 8:
        print("no time for", n, flush=True)
        continue
    t = time.time()
    env = dict(os.environ, SECTION_END=str(s - 2), PYTHONUNBUFFERED="1", TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    p = subprocess.Popen([sys.executable, os.path.join(here, cmd[n][0])] + cmd[n][1:], env=env)
    try:
        p.wait(timeout=s + 12 - time.time())
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        print("killed", n, flush=True)
    print("== %s rc %s, %.1f s" % (n, p.returncode, time.time() - t), flush=True)
