// Tests that the package returns the answers of the native engine, to the last bit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { estimate, link } from 'shardwise';
import { scenarios } from './inputs.mjs';

/** What cannot be read whole is forgiven, as the page forgives an old link. */
const FORGIVEN = { strict: false };

/** The report of the native engine. */
function native(text) {
  const { status, stdout, stderr } = spawnSync(process.env.SHARDWISE_CLI, ['estimate', '--json', '--lenient', text], { encoding: 'utf8' });
  // Status 1 means that the run does not fit.
  assert.ok(status === 0 || status === 1, stderr);
  return JSON.parse(stdout);
}

/** Where two values differ; numbers are the same where their bits are. */
function differences(one, other, place = '') {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return Object.is(one, other) ? [] : [`${place}: ${one} and ${other}`];
  }
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], `${place}.${key}`));
}

test('a report has the bits of the native engine', () => {
  assert.ok(scenarios().length >= 60, `${scenarios().length} scenarios`);
  let numbers = 0;
  for (const scenario of scenarios()) {
    const text = typeof scenario === 'string' ? scenario : JSON.stringify(scenario);
    const report = estimate(scenario, FORGIVEN);
    assert.deepEqual(differences(report, native(text)), [], text);
    numbers += JSON.stringify(report).match(/-?\d+(\.\d+)?(e[-+]?\d+)?/g).length;
  }
  assert.ok(numbers > 5000, `${numbers} numbers`);
});

test('the comparison sees the last bit, and the sign of zero', () => {
  assert.deepEqual(differences({ a: [0.1 + 0.2] }, { a: [0.3] }).length, 1);
  assert.deepEqual(differences({ a: -0 }, { a: 0 }).length, 1);
  assert.deepEqual(differences({ a: 1 }, { a: 1, b: null }).length, 1);
  assert.deepEqual(differences({ a: [1, { b: null }] }, { a: [1, { b: null }] }), []);
});

test('a report, its link and its scenario are the same scenario', () => {
  for (const scenario of scenarios()) {
    const { issues: _, ...report } = estimate(scenario, FORGIVEN);
    assert.equal(link(scenario, undefined, FORGIVEN), report.link);
    for (const again of [report, report.scenario, report.link, `#${report.link}`, link(scenario, 'https://example.org/x/#y', FORGIVEN)]) {
      const { issues: __, ...same } = estimate(again, FORGIVEN);
      assert.deepEqual(differences(same, report), [], report.link);
    }
  }
});

test('a typo is never another run', () => {
  const whole = { model: 'llama-3-8b', cluster: 'dgx-h100', gpus: 64, mbs: 1, seq: '4k' };
  const { model: _, ...without } = whole;
  for (const [scenario, name, code, message] of [
    [{ ...whole, modle: 'llama-3-70b' }, 'TypeError', 'unknown-key', /“modle” is not a key of a scenario\. Did you mean “model”/],
    [{ ...whole, model: 'llama-3-8c' }, 'RangeError', 'unknown-name', /Did you mean “llama-3-8b”/],
    [{ ...whole, strategy: 'ful-shard' }, 'RangeError', 'unknown-name', /“full-shard”/],
    [{ ...whole, gpus: -3 }, 'RangeError', 'invalid-value', /at least 1/],
    [without, 'RangeError', 'missing', /Which model\?/],
    ['v=1&gpuz=8', 'TypeError', 'unknown-key', /“gpus”/],
  ]) {
    assert.throws(() => estimate(scenario), { name, code, message });
  }
  assert.match(estimate(without, { assume: true }).issues[0].message, /^Assumed, as not given: a GPT-style model/);
  assert.throws(() => estimate(whole, { strct: false }), { name: 'TypeError', message: /no option “strct”/ });
  const { num_gpus, ...known } = { num_gpus: 64, seq_len: '4k', per_device_train_batch_size: 1, cluster: 'h100', model: 'Llama 3 8B' };
  assert.equal(estimate({ ...known, num_gpus }).link, estimate(whole).link);
});
