// A user's program: it must compile, and its marked errors must be found.
import { catalog, estimate, link, parameters, sweep, understand, type Report, type Scenario } from 'shardwise';

const scenario: Scenario = { cluster: 'dgx-h100', model: 'llama-3-70b', gpus: 256, tp: 8, seq: '8k', mbs: 1, compile: true };
const report: Report = estimate(scenario);
export const seconds: number = report.step_time_s + report.time_s.exposed_comm;
export const hours: number | null = report.run.gpu_hours;
export const address: string = link(report, new URL('https://example.org/'));
export const again: boolean = estimate(address).fits && estimate(report).fits;

const points = sweep(scenario, { seq: { from: '1k', to: '128k', steps: 64, scale: 'log' }, strategy: ['ddp', 'full-shard'] });
export const best: number = Math.max(...points.mfu);
export const cost: Float64Array | undefined = sweep(scenario, { gpus: [8, 16] }, { run: true }).run?.cost_usd;
export const first: string = points.link(0, 1);

export const bounds = parameters(scenario).map((row) => (row.kind === 'number' ? row.max : row.options.length));
export const largest: number = Math.max(...catalog().models.map((model) => model.params));

const { report: said, unread, asks } = understand('llama 3.1 8b qlora on 2x4090, 8k', report);
export const fits: boolean = unread.length === 0 && asks?.question !== 'cheapest' && said.fits;
// @ts-expect-error A sentence is text.
understand({ model: 'llama-3-70b' });

// @ts-expect-error A key that no link has.
estimate({ sequence_lenght: 4096 });
// @ts-expect-error No such option.
estimate(scenario, { strct: false });
export const known = estimate({ model: 'meta-llama/Llama-3.1-8B', cluster: '8xH100', seq_len: 8192, per_device_train_batch_size: 1 });
// @ts-expect-error Neither a number nor text.
estimate({ gpus: [8] });
// @ts-expect-error No such axis.
sweep(scenario, { sequence: [1] });
// @ts-expect-error No such scale.
sweep(scenario, { seq: { scale: 'cubic' } });
