import type { Ctx } from '#kernel/context.ts';
import * as accounts from '#platform/accounts/index.ts';
import type { StaffView } from '#platform/accounts/view.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { reachRunningServer } from '../reached-at.ts';
import { passwordAsked } from './password.ts';
import { wordsOf } from './read.ts';

const flags = { email: '--email', roles: '--role' };

/** `appctl admin user create`. */
export function createUser(cli: Cli): Promise<void> {
  const input: accounts.StaffInput = {
    email: cli.required('email'),
    name: cli.option('name'),
    roles: cli.list('role'),
  };
  return withLocal(cli, async (instance) => {
    await reachRunningServer(instance);
    const make = cli.flag('invite') ? invitation(input) : await withPassword(cli, input);
    const { user, ...made } = await changeOrPlan(cli, instance.ctx, (ctx) =>
      namingFlags(flags, () => make(ctx)),
    );
    const shown = cli.dryRun ? {} : made;
    await writeCard(cli, planned(cli, { ...user, ...shown }), { ...wordsOf(user), ...shown });
    if (cli.dryRun) return;
    if (made.password !== undefined)
      cli.note('The password is shown once. Store it now: it cannot be read again.');
    if (made.inviteUrl !== undefined)
      cli.note('The link works once, for seven days. Send it to nobody else.');
  });
}

interface Made {
  readonly user: StaffView;
  readonly password?: string;
  readonly inviteUrl?: string;
}

const invitation =
  (input: accounts.StaffInput) =>
  async (ctx: Ctx): Promise<Made> => {
    const { user, link } = await accounts.invite(ctx, input);
    return { user, inviteUrl: link.url };
  };

async function withPassword(cli: Cli, input: accounts.StaffInput) {
  const { password, isGenerated } = await passwordAsked(cli);
  const mustChangePassword = cli.flag('must-change-password');
  return async (ctx: Ctx): Promise<Made> => {
    const user = await accounts.create(ctx, { ...input, password, mustChangePassword });
    return { user, ...(isGenerated && { password }) };
  };
}
