// For pages, workers, bundlers and notebooks: the module lies beside this file and is fetched once.
import start from './shardwise.js';

await start({ module_or_path: new URL('./shardwise_bg.wasm', import.meta.url) });

export * from './api.js';
