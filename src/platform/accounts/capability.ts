import { capability } from '#kernel/capability.ts';
import { accountEvents } from './events.ts';
import { accountsLocal } from './local.ts';
import { signInPages } from './pages/sign-in-pages.ts';
import { adminUserRecord } from './record.ts';
import { rightsEvents } from './rights/events.ts';

/** People who work with the panel: the owner that `setup` made, and how they sign in. */
export const accounts = capability({
  ...accountsLocal,
  events: [accountEvents, rightsEvents],
  records: [adminUserRecord],
  pages: signInPages,
});
