// Tests that plans and files give the answers of the native engine, to the last bit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { estimate, lint, plan, rank, read } from 'shardwise';

const LINKS = readFileSync(process.env.SHARDWISE_LINKS, 'utf8').split('\n').filter((line) => line.startsWith('v='));

const OWN = 'v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T';

test('a plan has the bits of the native engine', () => {
  for (const link of LINKS.slice(0, 8)) {
    const { stdout } = spawnSync(
      process.env.SHARDWISE_CLI, ['plan', 'fewest', link, '--cluster', 'own', '--json', '--top', '24'], { encoding: 'utf8' });
    assert.deepEqual(plan(link, 'fewest', { clusters: ['own'] }), JSON.parse(stdout), link);
  }
});

test('an answer is a scenario', () => {
  const { answers, front } = plan(OWN, 'cheapest', { days: 60, clusters: ['own', 'dgx-h200'] });
  assert.equal(answers.length, 2);
  assert.ok(answers[0].cost_usd <= answers[1].cost_usd && front.length > 1);
  assert.equal(estimate(answers[0].link).run.cost_usd, answers[0].cost_usd);
  assert.ok(plan(OWN, 'context').answers[0].seq > 8192);
});

test('what is no question is said', () => {
  assert.throws(() => plan(OWN, 'soonest'), /not a question/);
  assert.throws(() => plan(OWN, 'fewest', { clusters: ['no-such'] }), /no cluster/);
  assert.throws(() => plan(OWN, 'fewest', { days: 3 }), TypeError);
  assert.throws(() => plan(OWN, 'cheapest', { days: -1 }), /above 0/);
  assert.throws(() => plan(OWN, 'fewest', { most: 0 }), RangeError);
  // The module uses 32-bit counts.
  assert.throws(() => rank(OWN, 2 ** 40), RangeError);
  assert.throws(() => plan(OWN, 'fewest', { most: 2 ** 32 }), RangeError);
});

test('files are read and linted', () => {
  const run = 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\nadapter: lora\nbf16: true\ngradient_checkpointing: true\n';
  const brought = read('cluster=dgx-h100&gpus=8', { name: 'run.yaml', data: run });
  assert.equal(brought.kind, 'run');
  assert.ok(lint('cluster=dgx-h100&gpus=8', new TextEncoder().encode(run)).some(({ what }) => what.includes('faster')));
  assert.throws(() => lint('', '[100, 300]'), /not the configuration of a run/);
  const rates = {
    shardwise_measure: 1,
    device: { type: 'cuda', name: 'NVIDIA H200' },
    sustained: [{ format: 'bf16', m: 8192, n: 8192, k: 8192, seconds: 1.6534e-3 }],
  };
  const measured = read('cluster=dgx-h200&gpus=8', JSON.stringify(rates));
  assert.equal(measured.kind, 'rates');
  assert.match(measured.scenario, /matmul=67\.2/);
  assert.throws(() => read('', 'no such thing'), Error);
  assert.throws(() => read('', 7), TypeError);
});
