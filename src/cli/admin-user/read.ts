import type { z } from 'zod';
import type { Page } from '#kernel/service/pagination.ts';
import type { StaffSessionView, StaffView } from '#platform/accounts/view.ts';
import { card, writeCard } from '../card.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked, pageOf } from '../paging.ts';
import { userAsked, withUsers } from './twin.ts';

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
  return withUsers(cli, async (desk) =>
    cli.out.page(await desk.get<Page<StaffView>>('users', pageAsked(cli)), columns),
  );
}

/** `appctl admin user show EMAIL`. */
export function showUser(cli: Cli): Promise<void> {
  return withUsers(cli, async (desk) => writeUser(cli, await userAsked(cli, desk)));
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
  return withUsers(cli, async (desk) => {
    const { id, email, twoFactor } = await userAsked(cli, desk);
    const state = twoFactor.enabled ? `on, ${twoFactor.recoveryCodesLeft} recovery codes left` : 'off';
    await cli.out.value({ id, ...twoFactor }, card([[email, state]]));
  });
}

type Session = z.output<typeof StaffSessionView>;

const sessionColumns: readonly Column<Session>[] = [
  { key: 'id' },
  { key: 'ip', title: 'address' },
  { key: 'createdAt', title: 'signed in', time: true },
  { key: 'lastSeenAt', title: 'last seen', time: true },
  { key: 'userAgent', title: 'browser' },
];

/** `appctl admin user sessions list EMAIL`. */
export function listSessions(cli: Cli): Promise<void> {
  return withUsers(cli, async (desk) => {
    const { id } = await userAsked(cli, desk);
    const { items } = await desk.get<{ items: Session[] }>(at`users/${id}/sessions`);
    const asked = { page: 1, limit: Math.max(items.length, 1) };
    await cli.out.page(pageOf(asked, items, items.length), sessionColumns);
  });
}
