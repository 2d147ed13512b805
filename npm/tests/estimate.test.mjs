// The package answers what the native engine answers, to the last bit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { estimate, link } from 'shardwise';
import { scenarios } from './inputs.mjs';

/** The report of the native engine. */
function native(text) {
  const { status, stdout, stderr } = spawnSync(process.env.SHARDWISE_CLI, ['estimate', '--json', text], { encoding: 'utf8' });
  // 1 says that it does not fit.
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
    const report = estimate(scenario);
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
    const { issues: _, ...report } = estimate(scenario);
    assert.equal(link(scenario), report.link);
    for (const again of [report, report.scenario, report.link, `#${report.link}`, link(scenario, 'https://example.org/x/#y')]) {
      const { issues: __, ...same } = estimate(again);
      assert.deepEqual(differences(same, report), [], report.link);
    }
  }
});
