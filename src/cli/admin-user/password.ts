import { generatePassword } from '#platform/passwords/index.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { type Link, userAsked, withUsers } from './twin.ts';

/** The password of a flag or a prompt, or with --generate a new one. */
export async function passwordAsked(cli: Cli): Promise<{ password: string; isGenerated: boolean }> {
  if (cli.flag('generate')) return { password: generatePassword(), isGenerated: true };
  const { value } = await cli.secret('password', { label: 'password', repeat: true });
  return { password: value, isGenerated: false };
}

/** `appctl admin user reset-password EMAIL`. */
export function resetPassword(cli: Cli): Promise<void> {
  return withUsers(cli, async (desk) => {
    const { id, email } = await userAsked(cli, desk);
    if (cli.flag('link')) return resetLink(cli, desk, { id, email });
    const { password, isGenerated } = await passwordAsked(cli);
    await cli.confirm({ action: `set a new password for ${email} and end all its sessions` });
    const input = { password, mustChangePassword: cli.flag('must-change-password') };
    const { sessionsRevoked } = await namingFlags({ password: '--password' }, () =>
      desk.post<{ sessionsRevoked: number }>(at`users/${id}/reset-password`, input),
    );
    const shown = isGenerated && !cli.dryRun ? { password } : {};
    await writeCard(cli, planned(cli, { id, ...shown, sessionsRevoked }));
    noteChange(cli, `changed the password of ${email}`);
  });
}

async function resetLink(cli: Cli, desk: Desk, { id, email }: { id: string; email: string }): Promise<void> {
  const link = await desk.post<Link>(at`users/${id}/reset-link`);
  const shown = cli.dryRun ? {} : { resetUrl: link.url, expiresAt: link.expiresAt };
  await writeCard(cli, planned(cli, { id, ...shown, sessionsRevoked: 0 }));
  noteChange(cli, `created a link where ${email} can choose a new password; it works once`);
}

/** `appctl admin login-link EMAIL`. */
export function makeLoginLink(cli: Cli): Promise<void> {
  const seconds = lifetimeAsked(cli);
  return withUsers(cli, async (desk) => {
    const { id, email } = await userAsked(cli, desk);
    const link = await desk.post<Link>(at`users/${id}/login-link`, { seconds });
    await writeCard(cli, link);
    noteChange(cli, `the link signs in as ${email} once; two-factor sign-in still applies`);
  });
}

const LONGEST_SECONDS = 86_400;

/** Of a link that replaces a password, in seconds. @throws usage error (2) for more than a day, or none at all */
export function lifetimeAsked(cli: Cli): number {
  const seconds = cli.seconds('ttl') ?? 0;
  if (seconds >= 1 && seconds <= LONGEST_SECONDS) return seconds;
  throw usageError(`--ttl ${cli.option('ttl')} is not between 1s and 1d`, 'such as --ttl 5m');
}
