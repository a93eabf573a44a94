import type { AskPassphrase, Passphrase } from '#signing/keys/passphrase.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { OptionSpec } from '../frame/spec.ts';

const NAME = 'passphrase';
const LABEL = 'passphrase';
const NEW_NAME = 'new-passphrase';
const NEW_LABEL = 'new passphrase';

/** `--passphrase-file`, `--passphrase-stdin`, `--passphrase-env` of commands that read or write private keys. */
export const passphraseOptions: readonly OptionSpec[] = secretOptions(
  NAME,
  'the passphrase of the private key',
);

/**
 * The passphrase that flags or configuration give: flag, then APPCTL_KEY_PASSPHRASE or its _FILE (cli 3.4).
 *
 * @returns null when there is none; an empty one is a passphrase
 */
async function givenPassphrase(cli: Cli): Promise<Passphrase | null> {
  const fromFlag = await cli.secret(NAME, { label: LABEL, optional: true });
  if (fromFlag !== undefined) return fromFlag;
  const { config, entries } = await cli.config();
  const value = config.keyPassphrase;
  if (value === undefined) return null;
  return { value, tried: `${value === '' ? 'empty ' : ''}${LABEL} from ${entries.key_passphrase.name}` };
}

/** Finds the passphrase of an existing key: flag, configuration, prompt. Read only when the key is encrypted. */
export const askPassphrase =
  (cli: Cli): AskPassphrase =>
  async () =>
    (await givenPassphrase(cli)) ?? (cli.ask.possible ? cli.secret(NAME, { label: LABEL }) : null);

/** `--new-passphrase-file`, … of commands that open a private key and store it anew, and `--no-passphrase`. */
export const newPassphraseOptions: readonly OptionSpec[] = [
  ...secretOptions(NEW_NAME, 'the new passphrase of the key'),
  {
    name: 'no-passphrase',
    summary: 'store the private key unencrypted',
    conflicts: ['new-passphrase-file', 'new-passphrase-stdin', 'new-passphrase-env'],
  },
];

/** The passphrase that `--new-passphrase-…` gives; undefined when none of them was given. */
export const givenNewPassphrase = (cli: Cli): Promise<Passphrase | undefined> =>
  cli.secret(NEW_NAME, { label: NEW_LABEL, optional: true });

/** The same, or asked for twice at the prompt. Throws a usage error (2) when nothing can be asked. */
export const requiredNewPassphrase = (cli: Cli): Promise<Passphrase> =>
  cli.secret(NEW_NAME, { label: NEW_LABEL, repeat: true });

/** Says that a passphrase protects nothing. */
export function warnOfWeakness(cli: Cli, passphrase: Passphrase | null): void {
  if (passphrase === null)
    cli.warn('no passphrase was given: the private key is stored unencrypted (mode 0600)');
  else if (passphrase.value === '') cli.warn('the passphrase is empty: anyone who has the file can open it');
}

/**
 * Finds the passphrase of a new key. A terminal asks twice; without terminal, flag and variable there is none, and
 * the key is stored in the clear with a warning (cli 3.4).
 */
export async function newPassphrase(cli: Cli): Promise<Passphrase | null> {
  if (cli.flag('no-passphrase')) return null;
  const passphrase =
    (await givenPassphrase(cli)) ??
    (cli.ask.possible ? await cli.secret(NAME, { label: LABEL, repeat: true }) : null);
  warnOfWeakness(cli, passphrase);
  return passphrase;
}

/**
 * Finds the passphrase of the key that follows another: its own flag, the prompt, or else that of the key before, so
 * that no script gets an open key because it forgot a flag.
 */
export async function followingPassphrase(cli: Cli): Promise<Passphrase | null> {
  if (cli.flag('no-passphrase')) return null;
  const own = await givenNewPassphrase(cli);
  const passphrase = own ?? (cli.ask.possible ? await requiredNewPassphrase(cli) : await givenAgain(cli));
  warnOfWeakness(cli, passphrase);
  return passphrase;
}

function givenAgain(cli: Cli): Promise<Passphrase | null> {
  if (!cli.flag('passphrase-stdin')) return givenPassphrase(cli);
  throw usageError(
    'stdin contained the passphrase of the old key; the one of the new key is missing',
    'give --new-passphrase-file or --new-passphrase-env, or --no-passphrase',
  );
}
