import { type Actor, allows } from '#kernel/actor.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import { isOwnPath, type ReplyHead } from '#kernel/http/reply.ts';
import type { Owed } from '#kernel/http/session-keeper.ts';

/** The two halves of the panel; one sign-in opens both, and either has its address. */
export const AREAS = ['/admin', '/store'] as const;
export type Area = (typeof AREAS)[number];

export const PROFILE = '/admin/profile';
export const PASSWORD = '/admin/profile/password';
export const TWO_FACTOR = '/admin/profile/two-factor';

const OF_PANEL = ['licensing:read', 'system:read'];
const OF_SHOP = ['products:read', 'inventory:read', 'orders:read', 'customers:read', 'content:read'];

/** The first page of somebody who asked for none: home, or that of the shop, is for whoever sees a part of it. */
export function homeOf(actor: Actor): string {
  const sees = (permission: string) => allows(actor, permission);
  if (OF_PANEL.some(sees)) return '/admin/';
  return OF_SHOP.some(sees) ? '/store/' : PROFILE;
}

/** Where somebody wanted to go, as long as that is a page of ours: the address is a stranger's word (A159). */
export const returnPath = (asked: string | undefined, home: string): string =>
  asked !== undefined && isOwnPath(asked) ? asked : home;

/** The page on which staff signs in, on the half of the panel that a path belongs to. */
export const staffSignInPath = (path: string | null): string =>
  `${path?.startsWith('/store/') ? '/store' : '/admin'}/login`;

/** The page on which staff does what it owes. */
export const staffOwedPath = (owed: Owed): string => (owed === 'NEW_PASSWORD' ? PASSWORD : TWO_FACTOR);

/** Of one address; each looks at a link or sends its form. */
export const linkTries: RateLimit = { bucket: 'one-time-link', max: 10, windowSeconds: 300, by: 'ip' };

/** Of a page whose address or content is a secret: no other site is told the address, and nobody keeps it (M14). */
export const UNTOLD: ReplyHead = { headers: { 'Referrer-Policy': 'no-referrer' } };
