// Tests that a sweep equals separate estimates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalog, estimate, parameters, sweep } from 'shardwise';
import { drawn, sequence } from './inputs.mjs';

const OF_THE_STEP = [
  'mfu', 'hfu', 'tokens_per_s_per_gpu', 'tokens_per_step', 'tflops_per_gpu', 'step_time_s',
  'needed_memory_bytes', 'cache_memory_bytes', 'free_memory_bytes', 'headroom_memory_bytes', 'fit_odds',
];
const OF_THE_RUN = [
  'steps', 'batch_efficiency', 'time_s', 'gpu_hours', 'cost_usd', 'energy_kwh', 'emissions_gco2', 'goodput',
];

/** Drawn scenarios contradict themselves here and there: that is forgiven, as in an old link. */
const FORGIVEN = { strict: false };
/** The link that holds nothing but its version: complete, as whatever it leaves out is that of the first visit. */
const FIRST = 'v=1';
/** What decides an answer. */
const WHOLE = { model: 'llama-3-8b', cluster: 'dgx-h100', gpus: 64, seq: '4k', mbs: 1 };

/** A point of a sweep is this report. */
function isReport(points, point, report) {
  for (const name of OF_THE_STEP) assert.ok(Object.is(points[name][point], report[name]), `${name} of ${report.link}`);
  assert.equal(points.fits[point] === 1, report.fits, report.link);
  assert.equal(points.limiters[points.limiter[point]], report.limiter, report.link);
  for (const name of points.run ? OF_THE_RUN : []) {
    const value = points.run[name][point];
    assert.ok(Object.is(Number.isFinite(value) ? value : null, report.run[name]), `${name} of ${report.link}`);
  }
}

/** Some values of a parameter. */
function some(row, random) {
  if (row.kind === 'choice') return row.options.slice(0, 3).map((option) => option.key);
  return Array.from({ length: 3 }, () => {
    const value = row.min + random() ** 3 * (row.max - row.min);
    return row.integer ? Math.round(value) : value;
  });
}

test('every point along every parameter is the estimate of the scenario with that value', () => {
  const random = sequence(7);
  const base = { cluster: 'dgx-h100', model: 'custom', layers: 24, hidden: 4096, heads: 32, ffn: 14336, vocab: 32000, experts: 8, topk: 2, effn: 2048 };
  for (const row of parameters(base, FORGIVEN)) {
    const scenario = row.key === 'size' ? { cluster: 'dgx-h100' } : base;
    const values = some(row, random);
    const points = sweep(scenario, { [row.key]: values }, { run: true, ...FORGIVEN });
    assert.deepEqual([points.shape, points.length, points.axes[0].key], [[values.length], values.length, row.key]);
    values.forEach((value, at) => {
      isReport(points, at, estimate(points.link(at), FORGIVEN));
      // If a link leaves out the shape of heads, it follows from other values, so only the point's
      // own link is compared.
      if (!['heads', 'hidden'].includes(row.key)) isReport(points, at, estimate({ ...scenario, [row.key]: value }, FORGIVEN));
    });
  }
});

test('every point of two axes is the estimate of its link, whichever axis comes first', () => {
  const random = sequence(11);
  const { models, clusters, accelerators } = catalog();
  const named = [['model', models], ['cluster', clusters], ['gpu', accelerators]];
  for (let round = 0; round < 24; round += 1) {
    const base = drawn(random);
    const rows = parameters(base, FORGIVEN).filter((row) => row.applies);
    const axis = () => {
      const row = rows[Math.floor(random() * rows.length)];
      const [key, list] = named[Math.floor(random() * named.length)];
      return random() < 0.3 ? [key, [0, 1].map(() => list[Math.floor(random() * list.length)].id)] : [row.key, some(row, random)];
    };
    const axes = Object.fromEntries([axis(), axis()]);
    const points = sweep(base, axes, FORGIVEN);
    const [rowsOf, columns = 1] = points.shape;
    for (let one = 0; one < rowsOf; one += 1) {
      for (let two = 0; two < columns; two += 1) isReport(points, one * columns + two, estimate(points.link(one, two), FORGIVEN));
    }
    const turned = sweep(base, Object.fromEntries(Object.entries(axes).reverse()), FORGIVEN);
    if (points.shape.length === 2) assert.ok(Object.is(turned.mfu[1], points.mfu[points.shape[1]]));
  }
});

test('a number of a GPU counts over the GPU that is picked, in either order', () => {
  const mem = (axes) => sweep(FIRST, axes).headroom_memory_bytes;
  const one = mem({ gpu: ['h100-sxm', 'b200'], mem: [100] });
  const other = mem({ mem: [100], gpu: ['h100-sxm', 'b200'] });
  assert.deepEqual(one, other);
  assert.equal(estimate({ gpu: 'b200', mem: 100 }, FORGIVEN).headroom_memory_bytes, one[1]);
});

test('ranges end where they say, spread as they say, and hold whole numbers where the parameter does', () => {
  const values = (range, key = 'seq') => [...sweep(FIRST, { [key]: range }).axes[0].values];
  assert.deepEqual(values({ from: '1k', to: '8k', scale: 'doublings' }), [1024, 2048, 4096, 8192]);
  assert.deepEqual(values({ from: 1000, to: 4000, steps: 4, scale: 'linear' }), [1000, 2000, 3000, 4000]);
  assert.deepEqual(values({ from: 1, to: 4, steps: 50 }, 'gpus'), [1, 2, 3, 4]);
  assert.deepEqual(values({ from: 100, to: 1, steps: 3 }, 'link'), [100, 10, 1]);
  const all = values({}, 'mem');
  assert.deepEqual([all.length, all[0], all.at(-1)], [50, 8, 512]);
});

test('a value that is not valid is an issue, and the nearest one is used', () => {
  const points = sweep(FIRST, { seq: [4096, -1, '8k', 4096.5, 'x'], strategy: ['ddp', 'none'] }, FORGIVEN);
  assert.deepEqual([...points.axes[0].values], [4096, 128, 8192, 4097, 4096]);
  assert.deepEqual(points.axes[1].values, ['ddp', 'full-shard']);
  assert.deepEqual(points.issues.map(({ severity, key }) => `${severity} ${key}`), ['error seq', 'error seq', 'error seq', 'error strategy']);
  const unknown = sweep(FIRST, { model: ['llama-3-8b', 'no-such'] }, FORGIVEN);
  assert.equal(unknown.axes[0].values[1], null);
  assert.equal(unknown.mfu[1], estimate(FIRST).mfu);
  assert.equal(unknown.issues.length, 1);
  assert.equal(sweep(FIRST, { layers: [4, 8] }, FORGIVEN).issues[0].severity, 'note');
});

test('what is wrong with the scenario itself is said as in its report', () => {
  const wrong = { ...WHOLE, gpus: 100, tp: 3, mem: 'much', what: 1 };
  assert.deepEqual(sweep(wrong, { seq: [4096] }, FORGIVEN).issues, estimate(wrong, FORGIVEN).issues);
  assert.ok(estimate(wrong, FORGIVEN).issues.length >= 3);
  assert.throws(() => sweep(wrong, { seq: [4096] }), { name: 'TypeError', code: 'unknown-key' });
});

test('what is of a wrong type is a sentence', () => {
  const fails = (name, message, work) => assert.throws(work, { name, message });
  fails('TypeError', /^estimate: a scenario must be a link or an object .*, not nothing\.$/, () => estimate());
  fails('TypeError', /not a list/, () => estimate([]));
  fails('TypeError', /“gpus” must be a number, text, true or false, not an object/, () => estimate({ gpus: {} }));
  fails('TypeError', /one or two parameters, not 0/, () => sweep(FIRST, {}));
  fails('TypeError', /one or two parameters, not 3/, () => sweep(FIRST, { seq: [1], tp: [1], pp: [1] }));
  fails('TypeError', /“sequence” is not a parameter\./, () => sweep(FIRST, { sequence: [1] }));
  fails('TypeError', /names for values/, () => sweep(FIRST, { strategy: { from: 1 } }));
  fails('TypeError', /linear, log or doublings, not “cubic”/, () => sweep(FIRST, { seq: { scale: 'cubic' } }));
  fails('RangeError', /one value or more/, () => sweep(FIRST, { seq: [] }));
  fails('RangeError', /whole number from 2/, () => sweep(FIRST, { seq: { steps: 1 } }));
  fails('RangeError', /equal ratios/, () => sweep(FIRST, { ckptevery: { scale: 'log' } }));
  fails('RangeError', /more than 1000000/, () => sweep(FIRST, { seq: { from: 128, to: 1e6, steps: 1e6, scale: 'linear' }, mem: [40, 80] }));
  fails('RangeError', /3 is not a place/, () => sweep(FIRST, { seq: [1024] }).link(3));
  fails('RangeError', /“NaN” is not a number/, () => estimate({ gpus: Number.NaN }));
  assert.deepEqual(estimate({ ...WHOLE, gpus: 64, tp: undefined, compile: true }).issues, []);
});
