import { change, defineEvents } from '#kernel/events.ts';
import { offlineTokenRecord } from './record.ts';

/** What people do with offline tokens; clients fetch theirs without a word in any log. */
export const offlineTokenEvents = defineEvents(
  'license',
  { OFFLINE_TOKEN_ISSUED: change<{ expiresAt: string }>() },
  { target: 'licenses', record: offlineTokenRecord },
);
