import { capability } from '#kernel/capability.ts';
import { learnBlocks } from './blocks.ts';

export { blockedSeconds, learnBlocks } from './blocks.ts';
export { flushHits, noticeHits } from './hits.ts';
export { create, get, type Honeypot, list, listHits, remove } from './honeypots.ts';
export type { Hit } from './queries.ts';

export const honeypots = capability({ name: 'honeypots', start: learnBlocks });
