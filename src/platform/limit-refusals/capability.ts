import { capability } from '#kernel/capability.ts';
import { refusalRecord } from './record.ts';
import { flushRefusals, noteRefusal } from './recorder.ts';

/** Counts the requests that rate limits refuse, on every API (D15). */
export const limitRefusals = capability({
  name: 'refusals-by-limits',
  records: [refusalRecord],
  sees: noteRefusal,
  flushes: { refusals: flushRefusals },
});
