import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import type { Database } from '#kernel/db/database.ts';
import {
  type BackupPlace,
  type LogRecord,
  logName,
  newIdentity,
  type Sealing,
  STREAM_FORMAT,
  type StreamState,
  sealText,
  stampOf,
  streamFolder,
  unsealText,
} from '#platform/backup/index.ts';
import { readInstallationId, readMasterKeyId } from '#platform/installation/index.ts';
import { sealingOf } from '../options.ts';
import { presentKey } from '../restore-key.ts';
import { putText } from './base.ts';

const BY_PASSPHRASE = 'passphrase';

/** What a log is encrypted for; of a passphrase nothing is told. */
export const sealedFor = (sealing: Sealing | null): string | null => {
  if (sealing === null) return null;
  return 'passphrase' in sealing ? BY_PASSPHRASE : sha256Hex(sealing.recipients.join(','));
};

/**
 * Whether a log may go on that was begun before: whoever opens backups now must be able to open all of it, and it must be
 * of this installation.
 */
export async function mayGoOn(state: StreamState, config: Config, database: Database): Promise<boolean> {
  const { log } = state;
  if (log.installation !== (await readInstallationId(database))) return false;
  if (log.masterKeyId !== (await readMasterKeyId(database))) return false;
  return isSealedAsNow(state, log.identity, sealingOf(config));
}

/** Passphrases with what they opened or closed here: to derive their key stops the whole process for a second. */
const opened = new Set<string>();
const openedName = (passphrase: string, identity: string): string => sha256Hex(`${identity}\n${passphrase}`);

/** Whether what was encrypted before can be opened by whoever opens backups now. */
export async function isSealedAsNow(
  before: Pick<StreamState, 'sealedFor'>,
  identity: string | null,
  sealing: Sealing | null,
): Promise<boolean> {
  if (before.sealedFor !== sealedFor(sealing)) return false;
  if (sealing === null || !('passphrase' in sealing) || identity === null) return true;
  const { passphrase } = sealing;
  if (opened.has(openedName(passphrase, identity))) return true;
  const opening = { identities: [], passphrase, tried: 'backup.passphrase' };
  return unsealText(Buffer.from(identity, 'base64'), opening).then(
    () => {
      opened.add(openedName(passphrase, identity));
      return true;
    },
    () => false,
  );
}

/** @returns base64; null for nothing to seal, or nobody to seal it for */
export async function sealedText(
  text: string | null | undefined,
  sealing: Sealing | null,
): Promise<string | null> {
  if (sealing === null || !text) return null;
  const sealed = Buffer.from(await sealText(text, sealing)).toString('base64');
  if ('passphrase' in sealing) opened.add(openedName(sealing.passphrase, sealed));
  return sealed;
}

/**
 * Begins a log: says so in the place, and notes it. Its files are encrypted to a key of its own. Whoever may open backups
 * gets the private half; this machine does not keep it.
 *
 * @throws StorageFailure when the place cannot be reached
 */
export async function beginLog(
  config: Config,
  database: Database,
  place: BackupPlace,
  nowMs: number,
): Promise<StreamState> {
  const sealing = sealingOf(config);
  const at = isoTime(nowMs);
  const key = sealing === null ? null : await newIdentity();
  const log: LogRecord = {
    kind: 'appctl-stream',
    v: STREAM_FORMAT,
    id: `${stampOf(at)}-${randomBytes(4).toString('hex')}`,
    createdAt: at,
    installation: await readInstallationId(database),
    masterKeyId: await readMasterKeyId(database),
    recipient: key?.recipient ?? null,
    identity: await sealedText(key?.identity, sealing),
    masterKey: await sealedText(presentKey(config)?.trim(), sealing),
  };
  const text = JSON.stringify(log, null, 2);
  await putText(place, logName(log.id), text, join(streamFolder(config), 'log.json'));
  return {
    log,
    sealedFor: sealedFor(sealing),
    number: 0,
    position: null,
    at,
    base: null,
    closed: null,
  };
}

/**
 * What a database file is while nobody has it open and everything is in it: whatever is written later changes it, or is
 * in a log beside it.
 *
 * @returns null while there is such a log
 */
export function closedFile(path: string): string | null {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log !== undefined && log.size > 0 ? null : fileState(path);
}

/** @returns null for no file */
export function fileState(path: string): string | null {
  if (!existsSync(path)) return null;
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(':');
}
