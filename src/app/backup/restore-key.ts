import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { type Keyring, keyringOf, parseMasterKey } from '#kernel/crypto.ts';
import { conflict, type Manifest, type Opening, unsealText } from '#platform/backup/index.ts';

/** The master key of a restored installation. */
export interface Key {
  readonly keyring: Keyring;
  readonly text: string;
  /** It has to be written: the data directory does not have it. */
  readonly isInstalled: boolean;
}

/**
 * The master key of a backup: the one that is there, one that was given, or the one inside an encrypted backup.
 *
 * @throws AppError CONFLICT (5) without the right one
 */
export async function keyFor(
  { config, masterKey, opening }: { config: Config; masterKey: string | null; opening: Opening | null },
  { masterKeyId }: Pick<Manifest, 'masterKeyId'>,
  sealedKey: Buffer | null,
): Promise<Key | null> {
  if (masterKeyId === null) return null;
  const present = presentKey(config);
  const presentId = present === null ? null : idOf(present);
  if (present !== null && presentId === masterKeyId)
    return { keyring: keyringOf(parseMasterKey(present)), text: present, isInstalled: false };
  const inside = sealedKey === null || opening === null ? null : await unsealText(sealedKey, opening);
  const found = [masterKey, inside].find((text) => text !== null && idOf(text) === masterKeyId);
  if (found === undefined || found === null) {
    const has = presentId === null ? 'this data directory has no key' : `the key here is ${presentId}`;
    const given = masterKey === null ? '' : `, and the one given is ${idOf(masterKey) ?? 'no key'}`;
    throw conflict(
      `the backup belongs to master key ${masterKeyId}, but ${has}${given}: without it the secrets cannot be read`,
      'name the file of that key: --master-key-file FILE',
    );
  }
  if (config.masterKey !== undefined)
    throw conflict(
      `the backup belongs to master key ${masterKeyId}, but secret.master_key of the configuration is another one`,
      'remove secret.master_key (APPCTL_MASTER_KEY) from the configuration, or set it to the key of the backup',
    );
  return { keyring: keyringOf(parseMasterKey(found)), text: found, isInstalled: true };
}

/** Text of the master key that an installation has; null without one. */
export const presentKey = ({ masterKey, masterKeyFile }: Config): string | null =>
  masterKey ?? (existsSync(masterKeyFile) ? readFileSync(masterKeyFile, 'utf8') : null);

function idOf(text: string): string | null {
  try {
    return keyringOf(parseMasterKey(text)).keyId;
  } catch {
    return null;
  }
}
