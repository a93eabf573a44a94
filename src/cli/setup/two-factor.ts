import { confirmTwoFactor, setupTwoFactor } from '#platform/accounts/index.ts';
import type { Instance } from '../../app/instance.ts';
import type { Cli } from '../frame/context.ts';
import { withInstallation } from '../open.ts';
import { drawQr } from '../qr.ts';
import type { SetupPlan } from './plan.ts';

/**
 * Sets up two-factor sign-in for the owner who was made just now: shows the QR code, asks for the first code of the app,
 * and prints the recovery codes. It comes last: who ends it here has an account that signs in with its password.
 *
 * @param ownerId id of the account
 */
export async function enrollOwner(cli: Cli, { loaded }: SetupPlan, ownerId: string): Promise<void> {
  const enroll = async ({ ctx }: Instance): Promise<void> => {
    const { secret, uri } = await setupTwoFactor(ctx, ownerId);
    cli.note('\nScan this code with an authenticator app:\n');
    await drawQr(cli, 'the code', uri);
    cli.note(`\nOr enter this key manually: ${inGroups(secret)}\n`);
    const codes = await askForCode(cli, (code) => confirmTwoFactor(ctx, ownerId, code));
    if (!codes) {
      cli.warn('two-factor sign-in is still off; switch it on later in your profile, at /admin/profile');
      return;
    }
    const lines = codes.map((code) => `  ${code}`);
    cli.note(
      [
        '\nTwo-factor sign-in is on. Each of these recovery codes works once, without the app.',
        ...lines,
      ].join('\n'),
    );
    cli.note('They are shown only once. Keep them in a safe place.\n');
  };
  await withInstallation(cli, loaded.config, enroll, 'use');
}

/** How many codes may be typed: a phone whose clock is wrong never has a right one. */
const TRIES = 3;

async function askForCode(
  cli: Cli,
  confirm: (code: string) => Promise<string[] | null>,
): Promise<string[] | null> {
  for (let left = TRIES; left > 0; left--) {
    const code = await cli.ask.text({ flag: '--no-input', message: 'Code from the app' });
    const codes = await confirm(code.replaceAll(' ', ''));
    if (codes) return codes;
    cli.warn("that code is wrong; check your phone's clock and enter the next code");
  }
  return null;
}

const inGroups = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret;
