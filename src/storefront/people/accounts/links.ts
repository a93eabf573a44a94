import type { Ctx } from '#kernel/context.ts';
import { consume, isOver, issue, look } from '#platform/one-time-tokens/index.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { type AccountRow, credentials, emailNormed } from '../customers/index.ts';

/** Links to an account beside the one that proves its address, and for how long each is valid. */
const LINKS = {
  'reset-password': { purpose: 'shop-password-reset', seconds: 3600 },
  'change-email': { purpose: 'shop-email-change', seconds: 24 * 3600 },
} as const;
export type LinkName = keyof typeof LINKS;

/**
 * Makes a link to an account, which dies with a changed password or address; an earlier one for the same ends.
 *
 * @param ctx of the transaction that holds the account
 * @param more `seconds` for which it is valid in place of the usual ones; what it brings along
 */
export async function linkTo(
  ctx: Ctx,
  name: LinkName,
  account: AccountRow,
  { seconds = LINKS[name].seconds, ...data }: { readonly seconds?: number; readonly email?: string } = {},
): Promise<string> {
  const { purpose } = LINKS[name];
  const asked = { purpose, seconds, subjectId: account.id, data: { ...data, stamp: stampOf(ctx, account) } };
  const { token } = await issue(ctx, asked);
  return `${ctx.baseUrl}/shop/${name}/${token}`;
}

/** What an open link is for. */
export interface OpenLink {
  readonly account: AccountRow;
  readonly data: Readonly<Record<string, string>>;
}

/** What a link opens; it is not used up. @returns null for one that opens nothing any more */
export async function lookAt(ctx: Ctx, name: LinkName, token: string): Promise<OpenLink | null> {
  const open = await look(ctx, LINKS[name].purpose, token);
  const account = open && (await credentials.find(ctx, open.subjectId));
  if (account?.status !== 'active' || open?.data.stamp !== stampOf(ctx, account)) return null;
  return { account, data: open.data };
}

/**
 * Uses a link up and holds its account. Of two that use it at once, one gets it.
 *
 * @param ctx of the transaction of what the link allows
 */
export async function use(ctx: Ctx, name: LinkName, token: string): Promise<OpenLink | null> {
  const seen = await lookAt(ctx, name, token);
  if (!seen) return null;
  await credentials.lock(ctx, seen.account.id);
  const open = await lookAt(ctx, name, token);
  return open && (await consume(ctx, LINKS[name].purpose, token)) ? open : null;
}

export const refuseLink = (ctx: Ctx, name: LinkName, token: string): Promise<never> =>
  refuseToken(ctx, LINKS[name].purpose, token);

/** Says why a link opens nothing. @throws AppError VALIDATION_ERROR, reason TOKEN_INVALID or TOKEN_EXPIRED */
export async function refuseToken(ctx: Ctx, purpose: string, token: string): Promise<never> {
  const isExpired = await isOver(ctx, purpose, token);
  throw storeFail(
    'VALIDATION_ERROR',
    isExpired
      ? 'This link has expired. Request a new one'
      : 'This link is not valid or has already been used',
    { details: { reason: isExpired ? 'TOKEN_EXPIRED' : 'TOKEN_INVALID' } },
  );
}

/** Changes with the password and the address. */
const stampOf = (ctx: Ctx, { id, email, passwordHash, generation }: AccountRow): string =>
  ctx.keyring.digest('lookup', `shop-link:${id}:${emailNormed(email)}:${passwordHash ?? ''}:${generation}`);
