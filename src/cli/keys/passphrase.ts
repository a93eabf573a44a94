import type { AskPassphrase, Passphrase } from '#licensing/signing-keys/index.ts';
import type { Cli } from '../frame/context.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { OptionSpec } from '../frame/spec.ts';

const NAME = 'passphrase';
const LABEL = 'passphrase';

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
export async function givenPassphrase(cli: Cli): Promise<Passphrase | null> {
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

/**
 * Finds the passphrase of a new key. A terminal asks twice; without terminal, flag and variable there is none, and
 * the key is stored in the clear with a warning (cli 3.4).
 */
export async function newPassphrase(cli: Cli): Promise<Passphrase | null> {
  if (cli.flag('no-passphrase')) return null;
  const passphrase =
    (await givenPassphrase(cli)) ??
    (cli.ask.possible ? await cli.secret(NAME, { label: LABEL, repeat: true }) : null);
  if (passphrase === null)
    cli.warn('no passphrase was given: the private key is stored unencrypted (mode 0600)');
  else if (passphrase.value === '') cli.warn('the passphrase is empty: whoever holds the file can open it');
  return passphrase;
}
