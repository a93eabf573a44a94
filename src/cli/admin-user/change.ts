import type { StaffView } from '#platform/accounts/view.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { wordsOf } from './read.ts';
import { type OneUser, userAsked, withUsers } from './twin.ts';

interface Change {
  /** Asked about before; nothing is asked without it. */
  readonly action?: (user: StaffView) => string;
  readonly done: string;
  run(desk: Desk, user: StaffView): Promise<StaffView>;
}

/** A command that changes one account and prints it. */
const changing =
  ({ action, done, run }: Change) =>
  (cli: Cli): Promise<void> =>
    withUsers(cli, async (desk) => {
      const user = await userAsked(cli, desk);
      if (action) await cli.confirm({ action: action(user), name: user.email });
      const after = await run(desk, user);
      await writeCard(cli, planned(cli, after), wordsOf(after));
      noteChange(cli, `${done} ${user.email}`);
    });

const doing =
  (verb: string): Change['run'] =>
  async (desk, { id }) =>
    (await desk.post<OneUser>(at`users/${id}/${verb}`)).user;

/** `appctl admin user disable EMAIL`. */
export const disableUser = changing({
  action: ({ email }) => `disable ${email} and end all its sessions`,
  done: 'disabled',
  run: doing('disable'),
});

/** `appctl admin user enable EMAIL`. */
export const enableUser = changing({ done: 'enabled', run: doing('enable') });

/** `appctl admin user delete EMAIL`. */
export const deleteUser = changing({
  action: ({ email }) => `delete the account ${email}`,
  done: 'deleted',
  async run(desk, user) {
    await desk.delete(at`users/${user.id}`);
    return user;
  },
});

/** `appctl admin user unlock EMAIL`. */
export const unlockUser = changing({ done: 'unlocked', run: doing('unlock') });

/** `appctl admin user 2fa reset EMAIL`. */
export function resetTwoFactor(cli: Cli): Promise<void> {
  return withUsers(cli, async (desk) => {
    const { id, email } = await userAsked(cli, desk);
    await cli.confirm({ action: `turn off two-factor sign-in for ${email}` });
    const { wasOn } = await desk.post<{ wasOn: boolean }>(at`users/${id}/reset-2fa`);
    await writeCard(cli, planned(cli, { id, enabled: false, recoveryCodesLeft: 0 }));
    noteChange(
      cli,
      wasOn
        ? `turned off two-factor sign-in for ${email}`
        : `two-factor sign-in was already off for ${email}`,
    );
  });
}

/** `appctl admin user sessions revoke EMAIL`. */
export function revokeSessions(cli: Cli): Promise<void> {
  return withUsers(cli, async (desk) => {
    const { id, email } = await userAsked(cli, desk);
    const session = cli.option('session');
    await cli.confirm({
      action:
        session === undefined ? `end all sessions of ${email}` : `end the session ${session} of ${email}`,
    });
    const { sessionsRevoked } = await desk.post<{ sessionsRevoked: number }>(at`users/${id}/end-sessions`, {
      sessionId: session,
    });
    await writeCard(cli, planned(cli, { id, sessionsRevoked }));
    noteChange(cli, `ended ${sessionsRevoked} sessions of ${email}`);
  });
}
