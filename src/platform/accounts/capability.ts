import { capability } from '#kernel/capability.ts';
import { accountEvents } from './events.ts';
import { accountPages } from './pages.ts';
import { adminUserRecord } from './record.ts';

/** People who work with the panel: the owner that `setup` made, and how they sign in. */
export const accounts = capability({
  name: 'accounts',
  events: [accountEvents],
  records: [adminUserRecord],
  pages: accountPages,
});
