import type { AppError } from '#kernel/errors.ts';
import { fail } from '../errors.ts';

/** A passphrase and the words that tell its source: `empty passphrase from --passphrase-env RELEASE_PASS`. */
export interface Passphrase {
  readonly value: string;
  readonly tried: string;
}

/** Called only for an encrypted key; null means that no source holds a passphrase. */
export type AskPassphrase = () => Promise<Passphrase | null>;

/** Asks for the passphrase of an encrypted key. Throws AppError UNAUTHORIZED when there is none. */
export async function demandPassphrase(ask: AskPassphrase): Promise<Passphrase> {
  const passphrase = await ask();
  if (passphrase !== null) return passphrase;
  throw fail('UNAUTHORIZED', 'the key is encrypted and no passphrase was given', {
    details: {
      reason: 'PASSPHRASE_MISSING',
      hint: 'give --passphrase-env, --passphrase-file or --passphrase-stdin, or set APPCTL_KEY_PASSPHRASE',
    },
  });
}

/** The error of a passphrase that does not open a key; it names what was tried and never what it was. */
export const wrongPassphrase = ({ tried }: Passphrase): AppError =>
  fail('UNAUTHORIZED', `the passphrase does not open the key (tried: ${tried})`, {
    details: { reason: 'WRONG_PASSPHRASE', tried },
  });
