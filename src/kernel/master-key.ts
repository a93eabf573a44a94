import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from './config/errors.ts';
import { type Keyring, keyringOf, newMasterKey, parseMasterKey } from './crypto.ts';
import { createPrivateFile, requirePrivateFile } from './private-files.ts';

const KEY_NAME = 'secret.master_key';

/** The master key of a run, and what is still to be written of it. */
export interface MasterKey {
  readonly keyring: Keyring;
  /** Where it came from: a path, or the name of the configuration key. */
  readonly source: string;
  /** It was made just now: no key was there. */
  readonly isNew: boolean;
  /**
   * Writes a key that was made just now; nothing to do for a given one. Called after the database said that it
   * has no other key: a new key must never stand beside data that it cannot open.
   */
  keep(): Keyring;
}

/**
 * Finds or makes the instance's master key (cli.md section 5, M12).
 *
 * @param given configured key text, or undefined; @param file where the key is kept otherwise
 * @param create whether a missing key is made
 * @param isInstalled something else shows that an installation was here
 * @throws ConfigError when the key is malformed, readable by others, or missing and not to be made (exit 78)
 */
export function loadMasterKey(
  given: string | undefined,
  file: string,
  create: boolean,
  isInstalled = false,
): MasterKey {
  if (given !== undefined) return known(parse(given, KEY_NAME), KEY_NAME);
  const present = readKeyFile(file);
  if (present !== null) return known(parse(present, file), file);
  if (!create && isInstalled) throw lost(file);
  if (!create) throw invalid(`master key ${file} was not found`, 'run appctl setup or appctl serve first');
  const made = newMasterKey();
  return {
    keyring: keyringOf(parseMasterKey(made)),
    source: file,
    isNew: true,
    keep() {
      if (createPrivateFile(file, `${made}\n`)) return keyringOf(parseMasterKey(made));
      // Another first start was faster: its key is the instance's key.
      return keyringOf(parse(readKeyFile(file) ?? '', file));
    },
  };
}

/** The database was sealed with another master key. */
export const wrongMasterKey = (stored: string, ours: MasterKey): ConfigError =>
  ours.isNew
    ? lost(ours.source)
    : invalid(
        `the database belongs to master key ${stored}, but the key from ${ours.source} is ${ours.keyring.keyId}`,
        'restore the master key of this database (APPCTL_MASTER_KEY_FILE, or master.key in the data directory); without it the secrets cannot be read',
      );

/** The key is gone, and what it sealed is there. */
const lost = (file: string): ConfigError =>
  invalid(
    `the master key ${file} is missing, and the data of this installation is encrypted with it`,
    `put your copy of the key back at that path, or point to it with secret.master_key_file in the configuration or APPCTL_MASTER_KEY_FILE`,
  );

const known = (key: Buffer, source: string): MasterKey => {
  const keyring = keyringOf(key);
  return { keyring, source, isNew: false, keep: () => keyring };
};

function readKeyFile(file: string): string | null {
  try {
    requirePrivateFile(file);
    // A pipe would be waited for forever.
    if (!statSync(file).isFile()) throw invalid(`${file} is not a regular file`, 'put the master key there');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (error instanceof ConfigError) throw error;
    throw invalid((error as Error).message, `chmod 600 ${file}`);
  }
}

function parse(text: string, source: string): Buffer {
  try {
    return parseMasterKey(text);
  } catch (error) {
    throw invalid(
      source === KEY_NAME ? (error as Error).message : `${source}: ${(error as Error).message}`,
      'restore the key, or for a new installation create one with openssl rand -hex 32',
    );
  }
}

const invalid = (message: string, hint: string): ConfigError =>
  new ConfigError([{ key: KEY_NAME, message, hint }]);
