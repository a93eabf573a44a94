import { writeCard } from '../card.ts';
import { planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { passwordAsked } from './password.ts';
import { wordsOf } from './read.ts';
import { type Link, type OneUser, withUsers } from './twin.ts';

const flags = { email: '--email', name: '--name', roles: '--role', password: '--password' };

/** `appctl admin user create`. */
export function createUser(cli: Cli): Promise<void> {
  const input = { email: cli.required('email'), name: cli.option('name'), roles: cli.list('role') };
  return withUsers(cli, async (desk) => {
    const chosen = cli.flag('invite') ? null : await passwordAsked(cli);
    const { user, invite } = await namingFlags(flags, () =>
      desk.post<OneUser & { invite: Link | null }>('users', {
        ...input,
        ...(chosen && { password: chosen.password, mustChangePassword: cli.flag('must-change-password') }),
      }),
    );
    const shown = cli.dryRun
      ? {}
      : {
          ...(chosen?.isGenerated && { password: chosen.password }),
          ...(invite && { inviteUrl: invite.url }),
        };
    await writeCard(cli, planned(cli, { ...user, ...shown }), { ...wordsOf(user), ...shown });
    if ('password' in shown) cli.note('The password is shown once. Store it now: it cannot be read again.');
    if ('inviteUrl' in shown)
      cli.note('The link works once, within seven days. Send it only to that person.');
  });
}
