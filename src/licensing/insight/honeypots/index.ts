export { blockedSeconds, learnBlocks } from './blocks.ts';
export { flushHits } from './hits.ts';
export { create, get, listHits, remove } from './honeypots.ts';
export { honeypotRows } from './queries.ts';
export type { Hit } from './record.ts';
export type { Honeypot } from './view.ts';
