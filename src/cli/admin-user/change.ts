import type { Ctx } from '#kernel/context.ts';
import * as accounts from '#platform/accounts/index.ts';
import type { StaffView } from '#platform/accounts/view.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { wordsOf } from './read.ts';

interface Change {
  /** Asked about before; nothing is asked without it. */
  readonly action?: (user: StaffView) => string;
  readonly done: string;
  run(ctx: Ctx, id: string): Promise<StaffView>;
}

/** A command that changes one account and prints it. */
const changing =
  ({ action, done, run }: Change) =>
  (cli: Cli): Promise<void> =>
    withLocal(cli, async ({ ctx }) => {
      const user = await accounts.get(ctx, cli.argument('user'));
      if (action) await cli.confirm({ action: action(user), name: user.email });
      const after = await changeOrPlan(cli, ctx, (ctx) => run(ctx, user.id));
      await writeCard(cli, planned(cli, after), wordsOf(after));
      noteChange(cli, `${done} ${user.email}`);
    });

/** `appctl admin user disable EMAIL`. */
export const disableUser = changing({
  action: ({ email }) => `disable ${email} and end all its sessions`,
  done: 'disabled',
  run: accounts.disable,
});

/** `appctl admin user enable EMAIL`. */
export const enableUser = changing({ done: 'enabled', run: accounts.enable });

/** `appctl admin user delete EMAIL`. */
export const deleteUser = changing({
  action: ({ email }) => `delete the account ${email}`,
  done: 'deleted',
  run: accounts.remove,
});

/** `appctl admin user unlock EMAIL`. */
export const unlockUser = changing({ done: 'unlocked', run: accounts.unlock });

/** `appctl admin user 2fa reset EMAIL`. */
export function resetTwoFactor(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id, email } = await accounts.get(ctx, cli.argument('user'));
    await cli.confirm({ action: `turn off two-factor sign-in of ${email}` });
    const wasOn = await changeOrPlan(cli, ctx, (ctx) => accounts.resetTwoFactor(ctx, id));
    await writeCard(cli, planned(cli, { id, enabled: false, recoveryCodesLeft: 0 }));
    noteChange(cli, wasOn ? `turned off two-factor sign-in of ${email}` : `it was off already for ${email}`);
  });
}

/** `appctl admin user sessions revoke EMAIL`. */
export function revokeSessions(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id, email } = await accounts.get(ctx, cli.argument('user'));
    const session = cli.option('session');
    await cli.confirm({
      action:
        session === undefined ? `end all sessions of ${email}` : `end the session ${session} of ${email}`,
    });
    const sessionsRevoked = await changeOrPlan(cli, ctx, async (ctx) => {
      if (session === undefined) return accounts.endSessions(ctx, id, null);
      await accounts.endSession(ctx, id, session);
      return 1;
    });
    await writeCard(cli, planned(cli, { id, sessionsRevoked }));
    noteChange(cli, `ended ${sessionsRevoked} sessions of ${email}`);
  });
}
