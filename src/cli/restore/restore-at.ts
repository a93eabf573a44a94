import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { counted } from '#kernel/counts.ts';
import { localSecond } from '#kernel/local-time.ts';
import { openBackupPlace } from '#platform/backup/index.ts';
import { readInstallationFile } from '#platform/installation/index.ts';
import { sealingOf } from '../../app/backup/options.ts';
import type { MissingFile } from '../../app/backup/stream/files/fetch.ts';
import { reachOf, type Way, wayTo } from '../../app/backup/stream/reach.ts';
import { type RestoredAt, restoreAt } from '../../app/backup/stream/restore-at.ts';
import { presentState } from '../../app/backup/target.ts';
import { becomeDataOwner, makeDataDirectory } from '../../app/data-directory.ts';
import { openingOf, watcherOf } from '../backup/named-backup.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, notFoundError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { pastAsked } from '../time-asked.ts';
import { confirmReplacing, holdsOf, masterKeyOf, SAME_INSTALLATION, stateFor } from './replacing.ts';

/** `appctl restore --at TIME`: ends with 6 when files are missing that the restored rows name. */
export async function restoreMoment(cli: Cli, config: Config, configFile: string | null): Promise<number> {
  const moment = momentOf(cli);
  const opening = await openingOf(cli, config);
  const masterKey = await masterKeyOf(cli);
  const place = await openBackupPlace(config);
  const reach = await reachOf(place, readInstallationFile(config)?.id ?? null);
  if (reach === null)
    throw notFoundError(
      `${place.display} has no stream of this installation`,
      'backup.stream = true makes one; to restore a backup instead: appctl backup list',
    );
  const way = await wayTo(place, reach, moment);
  requirePast(moment, way);
  if (!cli.dryRun) {
    makeDataDirectory(config.dataDir);
    becomeDataOwner(config.dataDir);
  }
  const state = cli.dryRun ? await presentState(config) : await stateFor(config);
  const display = `the state of ${localSecond(new Date(way.at))}`;
  if (cli.dryRun) {
    const needs = state.kind === 'empty' ? '' : `, and is only replaced with --confirm ${config.serviceName}`;
    await answer(
      cli,
      way,
      { tables: 0, rows: 0, transactions: 0, files: { fetched: 0, missing: [] }, previous: null },
      () =>
        `Would restore ${display}, from ${counted(way.segments.length, 'segment')}; the database ${holdsOf(state)}${needs}.`,
    );
    return exits.done;
  }
  await confirmReplacing(cli, config, state, display);
  const watcher = watcherOf(cli);
  try {
    const name = `--at ${way.at}`;
    const options = { config, configFile, name, masterKey, opening, watcher, sealing: sealingOf(config) };
    const done = await restoreAt(place, way, options, state);
    watcher.stop();
    await answer(cli, way, done, () => restoredWords(way, done, display));
    if (done.previous !== null) cli.note(`What was there before is kept in ${done.previous}`);
    tellMissing(cli, done.files.missing);
    cli.warn(SAME_INSTALLATION);
    cli.next('appctl doctor', 'appctl serve');
    return done.files.missing.length === 0 ? exits.done : exits.verificationFailed;
  } finally {
    watcher.stop();
  }
}

function momentOf(cli: Cli): string {
  const now = isoTime(systemClock.epochMs());
  const text = cli.option('at');
  if (text === 'now') return now;
  try {
    return pastAsked(cli, 'at', now, 'end') ?? now;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw usageError(
      `--at '${text}' is not a valid time`,
      'write --at now, --at 10m (ten minutes ago), or --at "2027-01-31 14:05"',
    );
  }
}

/**
 * The newest state is asked for as such: a slip in the date would bring back what the restore is to undo. Of a stream
 * that goes on after the time of this machine its own times count.
 *
 * @throws usage error (2)
 */
function requirePast(moment: string, { at }: Way): void {
  const now = isoTime(systemClock.epochMs());
  if (moment <= now || at > now) return;
  const [asked, newest] = [moment, at].map((time) => localSecond(new Date(time)));
  throw usageError(
    `--at is in the future: ${asked}; the newest state that can be restored is of ${newest}`,
    'write --at now for the newest state, or an earlier moment',
  );
}

const restoredWords = (
  { segments }: Way,
  { rows, tables, transactions, files: { fetched } }: RestoredAt,
  display: string,
): string =>
  `Restored ${display}: ${rows.toLocaleString('en')} rows of ${tables} tables and ${counted(fetched, 'file')}; ${counted(transactions, 'transaction')} of ${counted(segments.length, 'segment')} replayed.`;

/** Names that are printed; all of them are in the JSON. */
const MOST_NAMED = 20;

function tellMissing(cli: Cli, missing: readonly MissingFile[]): void {
  if (missing.length === 0) return;
  const named = missing.slice(0, MOST_NAMED).map(({ file, reason }) => `  ${file}: ${reason}`);
  const more = missing.length - named.length;
  const rest = more > 0 ? [`  and ${more} more: appctl db check`] : [];
  cli.warn(
    [
      `the database needs ${counted(missing.length, 'file')} that could not be found:`,
      ...named,
      ...rest,
    ].join('\n'),
  );
  cli.note('A backup may have them: appctl restore BACKUP --only bundles --only media');
}

async function answer(
  cli: Cli,
  { at }: Way,
  { tables, rows, files: { fetched, missing }, previous }: RestoredAt,
  words: () => string,
): Promise<void> {
  const value = {
    restored: { tables, rows, files: fetched },
    createdAt: at,
    previous,
    missing: [...missing],
  };
  await cli.out.value(cli.dryRun ? { ...value, dryRun: true } : value, words);
}
