// The command of the installed packages is the program of the shell.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { estimate } from 'shardwise';

const RUN = ['model=llama-3-8b', 'cluster=dgx-h100', 'gpus=64', 'seq=4k', 'mbs=1'];

/** Runs the command as `npx shardwise` does. */
function shardwise(...words) {
  return spawnSync(process.execPath, ['node_modules/shardwise/bin.js', ...words], { encoding: 'utf8' });
}

test('the command answers as the library does, with its status', () => {
  const { status, stdout } = shardwise('estimate', '--json', ...RUN);
  const report = estimate({ model: 'llama-3-8b', cluster: 'dgx-h100', gpus: 64, seq: '4k', mbs: 1 });
  assert.deepEqual([status, JSON.parse(stdout).mfu], [0, report.mfu]);
  const refused = shardwise('estimate', 'model=no-such');
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /no-such/);
});
