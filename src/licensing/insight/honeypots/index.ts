export { blockedSeconds, learnBlocks } from './blocks.ts';
export { flushHits } from './hits.ts';
export { create, get, remove } from './honeypots.ts';
export { hitRows, honeypotRows } from './queries.ts';
export type { Hit } from './record.ts';
export type { Honeypot } from './view.ts';
