import { secretOptions } from './frame/secrets.ts';
import type { OptionSpec } from './frame/spec.ts';

/** `--passphrase-file`, `--passphrase-stdin`, `--passphrase-env` of commands that write or read sealed files. */
export const passphraseOptions: readonly OptionSpec[] = secretOptions(
  'passphrase',
  'the passphrase of the file',
);
