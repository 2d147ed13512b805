// Scenarios of the tests: all published links, all named scenarios, and scenarios drawn from the
// table of parameters.
import { readFileSync } from 'node:fs';
import { catalog, parameters } from 'shardwise';

/** A fixed sequence of pseudo-random numbers, 0 to below 1 (mulberry32). */
export function sequence(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A scenario with hardware and model of the catalog and some parameters moved. */
export function drawn(random) {
  const of = (list) => list[Math.floor(random() * list.length)];
  const { clusters, accelerators, models } = catalog();
  const scenario = { cluster: of(clusters).id };
  if (random() < 0.3) scenario.gpu = of(accelerators).id;
  if (random() < 0.7) scenario.model = random() < 0.2 ? 'custom' : of(models).id;
  const rows = parameters(scenario, { strict: false });
  for (let moves = Math.floor(random() * 12); moves > 0; moves -= 1) {
    const row = of(rows);
    if (row.kind === 'choice') scenario[row.key] = of(row.options).key;
    else scenario[row.key] = number(row, random());
  }
  return scenario;
}

/** A value of a parameter, far below the largest more often than not. */
function number({ min, max, integer }, share) {
  const value = min + share ** 3 * (max - min);
  return integer ? Math.round(value) : value;
}

/** What cannot be read whole. */
const WRONG = [
  '', '#', 'https://example.org/calculator/?embed=1#v=1&gpus=12&mem=80%20GiB', 'gpus=-3&seq=nonsense&what=1&mem',
  'v=9&rev=77&cluster=none&model=nothing', 'tp=3&pp=7&gpus=100', 'layers=4', '{"mem": "80 GiB", "seq": "8k"}', '{"mem": ',
];

/** All of them: texts and objects. */
export function scenarios() {
  const published = readFileSync(process.env.SHARDWISE_LINKS, 'utf8').split('\n').filter((line) => line.startsWith('v='));
  const named = catalog().scenarios.map((entry) => entry.link);
  const random = sequence(20250403);
  return [...published, ...named, ...Array.from({ length: 24 }, () => drawn(random)), ...WRONG];
}
