import * as accounts from '#platform/accounts/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { reachRunningServer } from '../reached-at.ts';

/** The password of a flag or a prompt, or with --generate a new one. */
export async function passwordAsked(cli: Cli): Promise<{ password: string; isGenerated: boolean }> {
  if (cli.flag('generate')) return { password: accounts.generatePassword(), isGenerated: true };
  const { value } = await cli.secret('password', { label: 'password', repeat: true });
  return { password: value, isGenerated: false };
}

/** `appctl admin user reset-password EMAIL`. */
export function resetPassword(cli: Cli): Promise<void> {
  return withLocal(cli, async (instance) => {
    const { ctx } = instance;
    await reachRunningServer(instance);
    const { id, email } = await accounts.get(ctx, cli.argument('user'));
    if (cli.flag('link')) return resetLink(cli, instance.ctx, { id, email });
    const { password, isGenerated } = await passwordAsked(cli);
    await cli.confirm({ action: `give ${email} another password and end all its sessions` });
    const mustChangePassword = cli.flag('must-change-password');
    const { sessionsRevoked } = await changeOrPlan(cli, ctx, (ctx) =>
      accounts.resetPassword(ctx, id, { password, mustChangePassword }),
    );
    const shown = isGenerated && !cli.dryRun ? { password } : {};
    await writeCard(cli, planned(cli, { id, ...shown, sessionsRevoked }));
    noteChange(cli, `changed the password of ${email}`);
  });
}

async function resetLink(
  cli: Cli,
  ctx: Parameters<typeof accounts.linkFor>[0],
  { id, email }: { id: string; email: string },
): Promise<void> {
  const link = await changeOrPlan(cli, ctx, (ctx) => accounts.linkFor(ctx, 'reset-password', id));
  const shown = cli.dryRun ? {} : { resetUrl: link.url, expiresAt: link.expiresAt };
  await writeCard(cli, planned(cli, { id, ...shown, sessionsRevoked: 0 }));
  noteChange(cli, `made a link under which ${email} chooses a new password; it works once`);
}

/** `appctl admin login-link EMAIL`. */
export function makeLoginLink(cli: Cli): Promise<void> {
  return withLocal(cli, async (instance) => {
    await reachRunningServer(instance);
    const { id, email } = await accounts.get(instance.ctx, cli.argument('user'));
    const link = await accounts.linkFor(instance.ctx, 'login-link', id, lifetimeAsked(cli));
    await writeCard(cli, link);
    noteChange(cli, `the link signs in as ${email} once; a second factor is still asked for`);
  });
}

const LONGEST_SECONDS = 86_400;

/** Of a link that replaces a password, in seconds. @throws usage error (2) for more than a day, or none at all */
export function lifetimeAsked(cli: Cli): number {
  const seconds = cli.seconds('ttl') ?? 0;
  if (seconds >= 1 && seconds <= LONGEST_SECONDS) return seconds;
  throw usageError(`--ttl ${cli.option('ttl')} is not between 1s and 1d`, 'such as --ttl 5m');
}
