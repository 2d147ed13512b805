// Measures the scenarios per second of a sweep on one core, for `cargo xtask bench`.
import { sweep } from 'shardwise';

const SCENARIOS = [
  ['sweep_dense', { cluster: 'dgx-h100', model: 'llama-3-70b', gpus: 256, tp: 8 }],
  ['sweep_moe', { cluster: 'dgx-h100', model: 'deepseek-v3', gpus: 1024, ep: 16, pp: 8, accum: 32 }],
];
const AXES = { mem: { from: 40, to: 200, steps: 200 }, seq: { from: '1k', to: '128k', steps: 250 } };
const ROUNDS = 5;

for (const [name, scenario] of SCENARIOS) {
  const rates = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    const { length } = sweep(scenario, AXES);
    // CPU time in microseconds, which is independent of other load on the machine.
    const { user, system } = process.cpuUsage(start);
    return length / (user + system) * 1e6;
  });
  console.log(`${name} ${Math.max(...rates).toFixed(0)} configurations/s`);
}
