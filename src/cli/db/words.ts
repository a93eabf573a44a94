import type { Config } from '#kernel/config/config.ts';
import { holdsPassword } from '#kernel/config/mask.ts';
import type { CopyPlan } from '#kernel/db/copy/copy.ts';
import { localSecond } from '#kernel/local-time.ts';
import type { Instance } from '../../app/instance.ts';
import type { Cli } from '../frame/context.ts';
import { shellWord } from '../printed-text.ts';

/** What is left out. */
export function tellBefore(cli: Cli, { others }: CopyPlan): void {
  if (others.length > 0)
    cli.warn(`these tables are not part of appctl and are not copied: ${others.join(', ')}`);
}

/** What belongs to the copy beside the database, and how it is used. */
export function tellAfter(
  cli: Cli,
  { config }: Instance,
  { url, takenAt, isServed }: { url: string; takenAt: string; isServed: boolean },
): void {
  if (isServed)
    cli.warn(
      `a server is running on the source: what it writes after ${localSecond(new Date(takenAt))} is not in the copy. To move, stop the server and run the command again`,
    );
  cli.warn(
    'Serve only one of them: a server on the copy and one on the source would both send every webhook and email and run every job. To move, stop the server on the source and do not start it again; to keep a backup, start no server on the copy (appctl help copy-an-installation says how to test one)',
  );
  cli.note('');
  cli.note('Not in the database, so not copied; keep these files with the copy:');
  for (const [what, path] of filesOf(config)) cli.note(`  ${what.padEnd(11)} ${path}`);
  cli.note('To use the copy from this data directory, stop the server and change the address:');
  cli.note(`  ${addressLine(url)}`);
}

function filesOf({ masterKey, masterKeyFile, storage }: Config): (readonly [string, string])[] {
  const key = masterKey === undefined ? masterKeyFile : 'secret.master_key in the configuration';
  if (storage.url !== undefined && !storage.url.startsWith('file:'))
    return [
      ['master key', key],
      ['bundles', storage.url],
      ['media', storage.url],
    ];
  return [
    ['master key', key],
    ['bundles', storage.bundlesDir],
    ['media', storage.mediaDir],
  ];
}

/** A password stays out of the line: it is in the file that the command was given. */
const addressLine = (url: string): string =>
  holdsPassword(url)
    ? 'export APPCTL_DATABASE_URL_FILE=FILE (a file with mode 0600 that contains the address)'
    : `export APPCTL_DATABASE_URL=${shellWord(url)}`;
