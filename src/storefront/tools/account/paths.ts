import { isOwnPath, redirectAddress } from '#kernel/http/reply.ts';
import { leadingBack } from '#kernel/http/visitors.ts';
import { ACCOUNT } from './nav.ts';

export const LOGIN = '/shop/login';
export const REGISTER = '/shop/register';
export const FORGOT = '/shop/forgot-password';
export const RESEND = '/shop/resend-verification';

/** Where somebody wanted to go, as long as that is a page of the shop: the address is a stranger's word. */
export const returnPath = (asked: string | undefined): string =>
  asked !== undefined && isOwnPath(asked) && isOfShop(redirectAddress(asked)) ? asked : ACCOUNT;

const isOfShop = (path: string): boolean => path.startsWith('/shop/');

/** The address of a page in a language, which leads to another one when it is done. */
export function withNext(path: string, next: string | undefined, lang: string | undefined): string {
  const to = leadingBack(path, next === undefined ? null : returnPath(next));
  if (lang === undefined) return to;
  return `${to}${to.includes('?') ? '&' : '?'}lang=${encodeURIComponent(lang)}`;
}
