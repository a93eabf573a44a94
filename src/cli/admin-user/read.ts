import * as accounts from '#platform/accounts/index.ts';
import type { StaffView } from '#platform/accounts/view.ts';
import { card, writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked, pageOf } from '../paging.ts';

const columns: readonly Column<StaffView>[] = [
  { key: 'email' },
  { key: 'name' },
  { key: 'status' },
  { key: 'roles', text: ({ roles }) => roles.join(', ') || 'none' },
  { key: 'twoFactor', title: '2fa', text: ({ twoFactor }) => (twoFactor.enabled ? 'on' : 'off') },
  { key: 'lastLoginAt', title: 'last sign-in', time: true },
  { key: 'sessions' },
];

/** `appctl admin user list`. */
export function listUsers(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const asked = pageAsked(cli);
    const offset = (asked.page - 1) * asked.limit;
    const { items, total } = await accounts.list(ctx, { offset, limit: asked.limit });
    await cli.out.page(pageOf(asked, items, total), columns);
  });
}

/** `appctl admin user show EMAIL`. */
export function showUser(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => writeUser(cli, await accounts.get(ctx, cli.argument('user'))));
}

/** An account as the answer; a person reads words in place of objects. */
export const writeUser = (cli: Cli, user: StaffView): Promise<void> => writeCard(cli, user, wordsOf(user));

export const wordsOf = ({ twoFactor, scopes, roles }: StaffView): Readonly<Record<string, unknown>> => ({
  roles: roles.join(', ') || 'none',
  scopes: scopes.map(({ kind, refId }) => `${kind} ${refId}`),
  twoFactor: twoFactor.enabled ? `on, ${twoFactor.recoveryCodesLeft} recovery codes left` : 'off',
});

/** `appctl admin user 2fa status EMAIL`. */
export function showTwoFactor(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id, email, twoFactor } = await accounts.get(ctx, cli.argument('user'));
    const state = twoFactor.enabled ? `on, ${twoFactor.recoveryCodesLeft} recovery codes left` : 'off';
    await cli.out.value({ id, ...twoFactor }, card([[email, state]]));
  });
}

type Session = Awaited<ReturnType<typeof accounts.sessionsOf>>[number];

const sessionColumns: readonly Column<Session>[] = [
  { key: 'id' },
  { key: 'ip', title: 'address' },
  { key: 'createdAt', title: 'signed in', time: true },
  { key: 'lastSeenAt', title: 'last seen', time: true },
  { key: 'userAgent', title: 'browser' },
];

/** `appctl admin user sessions list EMAIL`. */
export function listSessions(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id } = await accounts.get(ctx, cli.argument('user'));
    const items = await accounts.sessionsOf(ctx, id);
    const asked = { page: 1, limit: Math.max(items.length, 1) };
    await cli.out.page(pageOf(asked, items, items.length), sessionColumns);
  });
}
