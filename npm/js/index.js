// Entry point for pages, workers, bundlers and notebooks: fetches the module next to this file
// once.
import start from './shardwise.js';

await start({ module_or_path: new URL('./shardwise_bg.wasm', import.meta.url) });

export * from './api.js';
