import { capability, type Job } from '#kernel/capability.ts';
import { privacyEvents } from './events.ts';
import { finishErasures } from './privacy.ts';
import { erasureRecord } from './record.ts';

const finish: Job = {
  name: 'finish-erasures',
  description: 'Removes personal data of deleted customers once their open orders have ended',
  everySeconds: 3600,
  run: finishErasures,
};

/** What the law gives customers: a copy of their data, and their erasure. */
export const shopPrivacy = capability({
  name: 'shop-privacy',
  events: [privacyEvents],
  records: [erasureRecord],
  jobs: [finish],
});
