import { capability } from '#kernel/capability.ts';
import { requestRecord } from './record.ts';
import { flushRequests, recordRequest } from './recorder.ts';

export const requests = capability({
  name: 'requests',
  records: [requestRecord],
  sees: recordRequest,
  flushes: { requests: flushRequests },
});
