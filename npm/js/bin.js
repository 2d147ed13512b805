#!/usr/bin/env node
// The command `shardwise`: the program of this platform, from a package of its own.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'shardwise.exe' : 'shardwise';

function program() {
  try {
    return createRequire(import.meta.url).resolve(`@shardwise/cli-${platform}/${file}`);
  } catch {
    console.error(
      `npm has no program of shardwise for ${platform}, or optional dependencies were left out. ` +
        'Install @shardwise/cli-' + platform + ', or with Python: pip install shardwise.',
    );
    process.exit(2);
  }
}

const { status, error } = spawnSync(program(), process.argv.slice(2), { stdio: 'inherit' });
if (error) console.error(`shardwise could not be started: ${error.message}.`);
process.exit(status ?? 2);
