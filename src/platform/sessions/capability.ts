import { capability } from '#kernel/capability.ts';
import { sessionsLocal } from './local.ts';
import { sessionMetrics } from './metrics.ts';
import { purgeSessions } from './purge.ts';
import { sessionRecord } from './record.ts';

/** Sessions of browsers: who is signed in where, and until when. */
export const sessions = capability({
  ...sessionsLocal,
  records: [sessionRecord],
  jobs: [purgeSessions],
  metrics: [sessionMetrics],
});
