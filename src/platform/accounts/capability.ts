import { capability } from '#kernel/capability.ts';
import { accountChecks } from './checks.ts';
import { accountEvents } from './events.ts';
import { inviteMail } from './mails.ts';
import { linkPages } from './pages/link-pages.ts';
import { profilePages } from './pages/profile-pages.ts';
import { setupPage } from './pages/setup-page.ts';
import { signInPages } from './pages/sign-in-pages.ts';
import { twoFactorPages } from './pages/two-factor-pages.ts';
import { viewAsPages } from './pages/view-as-pages.ts';
import { adminUserRecord } from './record.ts';
import { staffResource } from './resource.ts';
import { rightsEvents } from './rights/events.ts';

/** People who work with the panel: the owner that `setup` made, and how they sign in. */
export const accounts = capability({
  name: 'accounts',
  events: [accountEvents, rightsEvents],
  records: [adminUserRecord],
  checks: accountChecks,
  mails: [inviteMail],
  resources: [staffResource],
  pages: [...signInPages, ...linkPages, ...profilePages, ...twoFactorPages, ...viewAsPages, setupPage],
});
