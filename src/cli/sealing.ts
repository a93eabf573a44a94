import { open, SealedFileFault, seal } from '#kernel/sealed-file.ts';
import type { Cli } from './frame/context.ts';
import { CliError, verificationError } from './frame/errors.ts';
import { exits } from './frame/exits.ts';
import type { Secret } from './frame/secrets.ts';

const NAME = 'passphrase';

/** The passphrase of a file to be written; undefined leaves it in the clear. */
export async function newPassphrase(cli: Cli): Promise<Secret | undefined> {
  const secret = await cli.secret(NAME, { label: 'passphrase', optional: true });
  if (secret?.value === '') cli.warn('the passphrase is empty: anyone who has the file can open it');
  return secret;
}

/** Seals texts when there is a passphrase. */
export const sealed = (
  texts: AsyncIterable<string>,
  passphrase: Secret | undefined,
): AsyncIterable<string | Uint8Array> => (passphrase === undefined ? texts : seal(texts, passphrase.value));

/** The passphrase of a sealed file: a flag, else a hidden prompt. @throws usage error (2) that names the flag */
export const knownPassphrase = (cli: Cli): Promise<Secret> => cli.secret(NAME, { label: 'passphrase' });

/**
 * Opens a sealed file.
 *
 * @throws CliError 4 for a wrong passphrase, naming where it came from; 6 for a file that was altered or cut off
 */
export async function* opened(
  bytes: AsyncIterable<Uint8Array>,
  { value, tried }: Secret,
): AsyncGenerator<Uint8Array> {
  try {
    yield* open(bytes, value);
  } catch (error) {
    if (!(error instanceof SealedFileFault)) throw error;
    if (error.reason === 'DAMAGED')
      throw verificationError(error.message, 'get the file from its source again');
    throw new CliError(exits.denied, 'UNAUTHORIZED', `${error.message} (tried: ${tried})`, {
      details: { reason: error.reason, tried },
    });
  }
}
