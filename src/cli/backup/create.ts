import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { counted } from '#kernel/counts.ts';
import { startedAs } from '#kernel/process-identity.ts';
import { yieldToOthers } from '#kernel/process-priority.ts';
import { sizeText } from '#kernel/size-words.ts';
import {
  archiveName,
  isOwnLabel,
  LABEL,
  type LatestBackup,
  requireRecipients,
  type Sealing,
} from '#platform/backup/index.ts';
import { keepBackupNote } from '#platform/installation/index.ts';
import { createBackup } from '../../app/backup/create.ts';
import { type BackupOut, sealingOf } from '../../app/backup/options.ts';
import { sourceOf } from '../../app/backup/source.ts';
import type { Instance } from '../../app/instance.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { shellWord } from '../printed-text.ts';
import { manifestView, watcherOf } from './named-backup.ts';

/** `appctl backup create`. */
export async function create(cli: Cli): Promise<void> {
  // A server beside it goes first. Where another program runs this command, its priority is its own affair.
  const { isExecutable, script } = startedAs();
  if (isExecutable || script !== null) yieldToOthers();
  const label = labelOf(cli);
  const { config, files } = await cli.config();
  const sealing = await sealingAsked(cli, config);
  const out = outOf(cli, label, sealing !== null);
  return withLocal(
    cli,
    async (instance) => {
      const watcher = watcherOf(cli);
      const options = { out, label, sealing, exclude: cli.list('exclude') as ('media' | 'bundles')[] };
      try {
        const { sidecar, manifest, target, ms } = await createBackup(
          sourceOf(instance, files.config),
          options,
          watcher,
        );
        watcher.stop();
        const { sizeBytes, sha256, encrypted, createdAt } = sidecar;
        if (out.to === 'stream') return;
        if (!isOwnLabel(label)) await tellServers(instance, { createdAt, target, sizeBytes, encrypted });
        const answer = { file: target, sizeBytes, sha256, encrypted, manifest: manifestView(manifest), ms };
        const rows = Object.values(manifest.tables).reduce((sum, count) => sum + count, 0);
        const members = counted(Object.keys(manifest.files).length, 'file');
        await cli.out.value(
          answer,
          () =>
            `Backed up ${rows.toLocaleString('en')} rows and ${members} to ${target} (${sizeText(sizeBytes)}). The backup was unpacked again and verified.`,
        );
        tellKey(cli, encrypted, config.masterKey === undefined ? config.masterKeyFile : null);
      } finally {
        watcher.stop();
      }
    },
    'inspect',
  );
}

/** The other servers of the database judge by it how old the last backup is. Of an older schema nobody asks. */
async function tellServers({ ctx, migrator }: Instance, note: LatestBackup): Promise<void> {
  if ((await migrator.status()).pending.length === 0) await keepBackupNote(ctx, note);
}

/** Without it the secrets in the backup cannot be read. */
function tellKey(cli: Cli, encrypted: boolean, file: string | null): void {
  const what = file ?? 'secret.master_key of the configuration';
  if (encrypted) cli.note('The master key is in the backup, encrypted like the rest.');
  else cli.note(`The master key is not in the backup: keep a copy of ${what} in another safe place.`);
}

function labelOf(cli: Cli): string | null {
  const label = cli.option('label');
  if (label === undefined) return null;
  if (LABEL.test(label)) return label;
  throw usageError(
    `--label "${label}" is not a valid label`,
    'lower-case letters, digits and hyphens, at most 40',
  );
}

/** From the flags, else from the configuration. */
async function sealingAsked(cli: Cli, config: Config): Promise<Sealing | null> {
  const given = cli.list('encrypt-to');
  if (given.length > 0) return toRecipients(given);
  const secret = await cli.secret('passphrase', { label: 'passphrase', optional: true, repeat: true });
  if (secret) return withPassphrase(secret.value, secret.tried);
  const configured = sealingOf(config);
  if (configured === null) return null;
  return 'recipients' in configured
    ? toRecipients(configured.recipients)
    : withPassphrase(configured.passphrase, 'backup.passphrase');
}

async function toRecipients(recipients: readonly string[]): Promise<Sealing> {
  await requireRecipients(recipients);
  return { recipients };
}

function withPassphrase(passphrase: string, tried: string): Sealing {
  if (passphrase === '') throw usageError(`the passphrase is empty (${tried})`, 'give one of several words');
  return { passphrase };
}

function outOf(cli: Cli, label: string | null, encrypted: boolean): BackupOut {
  const given = cli.option('out');
  if (given === undefined) return { to: 'place' };
  if (given === '-') return toStdout(cli);
  const path = resolve(given);
  const isFolder = given.endsWith('/') || (existsSync(path) && statSync(path).isDirectory());
  const name = archiveName({ createdAt: isoTime(systemClock.epochMs()), label, encrypted });
  const target = isFolder ? join(path, name) : path;
  requireFolder(dirname(target));
  if (existsSync(target))
    throw conflictError(`${target} already exists`, `choose another name than ${basename(target)}`);
  return { to: 'file', path: target };
}

/** Made here, the folder of a disk that is not mounted would be one of the root disk. @throws usage error (2) */
function requireFolder(folder: string): void {
  if (existsSync(folder)) return;
  throw usageError(
    `${folder} does not exist`,
    `mount the disk that it is on, or create it: mkdir -p ${shellWord(folder)}`,
  );
}

function toStdout(cli: Cli): BackupOut {
  if (cli.json) throw usageError('--json and --out - both need stdout', 'leave out one of them');
  if (cli.io.stdout.isTTY)
    throw usageError('a backup is not written to a terminal', 'add > FILE, or name a file with --out');
  return {
    to: 'stream',
    send: (path) => pipeline(createReadStream(path), cli.io.stdout, { end: false }),
  };
}
