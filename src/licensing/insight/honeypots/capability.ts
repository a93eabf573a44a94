import { capability } from '#kernel/capability.ts';
import { blockedSeconds, learnBlocks } from './blocks.ts';
import { honeypotEvents } from './events.ts';
import { flushHits, noticeHits } from './hits.ts';
import { hitRecord } from './record.ts';
import { honeypotHitResource, honeypotResource } from './resource.ts';

export const honeypots = capability({
  name: 'honeypots',
  records: [hitRecord],
  events: [honeypotEvents],
  resources: [honeypotResource, honeypotHitResource],
  start: learnBlocks,
  sees: noticeHits,
  shutOut: blockedSeconds,
  flushes: {
    hits: flushHits,
    // What the others have written by now.
    blocks: (ctx) => learnBlocks(ctx).then(() => ({})),
  },
});
