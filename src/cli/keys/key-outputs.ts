import { publicKeyPath } from '#signing/keys/key-file.ts';
import { tryOutputs } from '../frame/output-file.ts';

/**
 * Tries both files of a key pair before a passphrase is asked for and before anything is registered.
 *
 * @param path of the private part
 * @throws CliError as tryOutputs
 */
export const tryKeyFiles = (path: string, force: boolean): void =>
  tryOutputs([
    { path, force },
    { path: publicKeyPath(path), force },
  ]);
