// Tests that sentences are interpreted exactly like in the native engine, to the last bit.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { estimate, link, understand } from 'shardwise';

/** A run that names all that the engine needs. */
const RUN = 'llama 3.1 8b qlora on 2x4090, 8k';

test('the report of a sentence has the bits of the native engine', () => {
  for (const sentence of [RUN, '70B on 64 H100, zero-3, 8k', 'qwen 2.5 7b full fine-tune on 8 A100 80GB']) {
    const words = ['estimate', '--json', sentence];
    const { stdout } = spawnSync(process.env.SHARDWISE_CLI, words, { encoding: 'utf8' });
    const read = understand(sentence);
    const report = JSON.parse(stdout);
    // The command lists what the sentence says beside its report.
    for (const list of ['assumed', 'understood', 'ignored', 'unread']) delete report[list];
    assert.deepEqual(read.report, report, sentence);
    assert.deepEqual(read.report.scenario, estimate(read.link).scenario, sentence);
  }
});

test('what was understood, assumed, not understood and asked is listed', () => {
  const sentence = '🚀 70B, 1T tokens, 30 days, hyperdrive, cheapest';
  const { understood, assumed, unread, asks, is_new: isNew } = understand(sentence);
  for (const { from, to, text } of [...understood, ...unread]) assert.equal(sentence.slice(from, to), text);
  assert.equal(understood[0].text, '70B');
  assert.deepEqual(unread.map(({ text }) => text), ['hyperdrive']);
  assert.deepEqual([asks.question, asks.query, isNew], ['cheapest', '?plan=cheapest&days=30', true]);
  assert.ok(assumed.length > 0 && assumed.every((value) => value.sentence.endsWith('.')));
  assert.equal(understand(RUN).asks, null);
});

test('a sentence without a model changes the scenario of a link', () => {
  const own = { cluster: 'dgx-h100', model: 'llama-3-8b', gpus: 8, seq: '4k', mbs: 1 };
  for (const given of [own, link(own), new URL(link(own, 'https://example.org/')), estimate(own)]) {
    const { report, is_new: isNew } = understand('use 16 GPUs', given);
    assert.deepEqual([report.scenario.model, report.scenario.gpus, isNew], ['llama-3-8b', 16, false]);
  }
});

test('what cannot be read is said', () => {
  assert.throws(() => understand('does it fit?'), { name: 'RangeError', code: 'unreadable', message: /llama 3\.1 8b qlora/ });
  assert.throws(() => understand({ model: 'llama-3-8b' }), { name: 'TypeError', message: /must be text, not an object/ });
  assert.throws(() => understand('use 16 GPUs', 'modle=llama-3-8b'), { name: 'TypeError', code: 'unknown-key' });
  assert.equal(understand('use 16 GPUs', 'modle=llama-3-8b', { strict: false }).report.scenario.gpus, 16);
});
