// Entry point for Node, which does not fetch files.
import { readFileSync } from 'node:fs';
import { initSync } from './shardwise.js';

initSync({ module: readFileSync(new URL('./shardwise_bg.wasm', import.meta.url)) });

export * from './api.js';
