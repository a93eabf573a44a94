import { capability } from '#kernel/capability.ts';
import { purgeSessions } from './purge.ts';
import { sessionRecord } from './record.ts';
import { sessionIdleTimeout, sessionMaxAge } from './settings.ts';

export { sessionKeeper } from './keeper.ts';

/** Sessions of browsers: who is signed in where, and until when. */
export const sessions = capability({
  name: 'sessions',
  records: [sessionRecord],
  settings: [sessionMaxAge, sessionIdleTimeout],
  jobs: [purgeSessions],
});
