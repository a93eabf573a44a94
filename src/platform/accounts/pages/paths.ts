import type { Owed } from '#kernel/http/session-keeper.ts';

/** The two halves of the panel; one sign-in opens both, and either has its address. */
export const AREAS = ['/admin', '/store'] as const;
export const HOME = '/admin/';
export type Area = (typeof AREAS)[number];

/** The page on which staff signs in, on the half of the panel that a path belongs to. */
export const staffSignInPath = (path: string | null): string =>
  `${path?.startsWith('/store/') ? '/store' : '/admin'}/login`;

/** The page on which staff does what it owes. */
export const staffOwedPath = (owed: Owed): string =>
  owed === 'NEW_PASSWORD' ? '/admin/profile/password' : '/admin/profile/two-factor';
