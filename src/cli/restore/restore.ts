import { existsSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { localSecond } from '#kernel/local-time.ts';
import { PARTS, type Part } from '#platform/backup/index.ts';
import { restoreJournal } from '#platform/installation/index.ts';
import { sealingOf } from '../../app/backup/options.ts';
import { type Restored, restoreArchive } from '../../app/backup/restore.ts';
import { finishSwap, readSwap } from '../../app/backup/swap.ts';
import type { PresentState } from '../../app/backup/target.ts';
import { becomeDataOwner, makeDataDirectory } from '../../app/data-directory.ts';
import { findBackup, openingOf, watcherOf } from '../backup/named-backup.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';
import { confirmReplacing, holdsOf, masterKeyOf, SAME_INSTALLATION, stateFor } from './replacing.ts';
import { restoreMoment } from './restore-at.ts';

/** `appctl restore FILE`, `appctl restore --at TIME`, `appctl restore --continue`. */
export async function restoreBackup(cli: Cli): Promise<number | void> {
  const { config, files } = await cli.config();
  requireOneWay(cli);
  if (cli.flag('continue')) return finish(cli, config);
  if (cli.option('at') !== undefined) return restoreMoment(cli, config, files.config);
  const backup = await findBackup(cli, config);
  const opening = await openingOf(cli, config);
  const masterKey = await masterKeyOf(cli);
  const parts = partsOf(cli);
  const source = await backup.open();
  if (!cli.dryRun) {
    makeDataDirectory(config.dataDir);
    becomeDataOwner(config.dataDir);
  }
  const state: PresentState = parts.includes('db') ? await stateFor(config) : { kind: 'empty' };
  if (cli.dryRun) return rehearse(cli, config, state, backup.display);
  await confirmReplacing(cli, config, state, `the backup ${backup.display}`);
  const watcher = watcherOf(cli);
  try {
    const options = {
      config,
      configFile: files.config,
      name: cli.argument('file'),
      parts,
      masterKey,
      opening,
      watcher,
      sealing: sealingOf(config),
      keepsPrevious: !cli.flag('no-backup'),
    };
    const done = await restoreArchive(source, options, state);
    watcher.stop();
    await tell(cli, config, done, backup.display, parts);
  } finally {
    watcher.stop();
  }
}

/** @throws usage error (2) for none or two of the ways to restore */
function requireOneWay(cli: Cli): void {
  const file = cli.optionalArgument('file');
  const ways = [
    file === undefined ? [] : [`the backup ${file}`],
    cli.option('at') === undefined ? [] : ['--at'],
    cli.flag('continue') ? ['--continue'] : [],
  ].flat();
  if (ways.length > 1)
    throw usageError(`${ways.join(' and ')} cannot be used together`, 'leave out one of them');
  if (ways.length === 0)
    throw usageError(
      'name a backup, a moment with --at, or --continue to finish a restore that was interrupted',
      'to see all: appctl backup list',
    );
}

async function finish(cli: Cli, config: Config): Promise<void> {
  const swap = readSwap(config);
  if (swap === null) {
    if (!existsSync(config.dataDir))
      throw conflictError(`${config.dataDir} does not exist`, 'name the data directory: --data-dir DIR');
    cli.note('no restore was interrupted here');
  } else {
    becomeDataOwner(config.dataDir);
    if (!cli.dryRun) await finishSwap(config, swap);
  }
  const answer = { restored: { tables: 0, rows: 0, files: 0 }, createdAt: null, previous: null };
  await cli.out.value(cli.dryRun ? { ...answer, dryRun: true } : answer, () =>
    swap === null ? 'nothing to do' : `the restore of ${swap.backup} is finished`,
  );
  cli.next('appctl doctor');
}

const partsOf = (cli: Cli): readonly Part[] => {
  const only = cli.list('only') as Part[];
  return only.length === 0 ? PARTS : only;
};

async function rehearse(cli: Cli, config: Config, state: PresentState, display: string): Promise<void> {
  const needs = state.kind === 'empty' ? '' : `, and is only replaced with --confirm ${config.serviceName}`;
  await cli.out.value(
    { restored: { tables: 0, rows: 0, files: 0 }, createdAt: null, previous: null, dryRun: true },
    () =>
      `Would restore ${display}; the database ${holdsOf(state)}${needs}. To check the backup: appctl backup verify ${display}`,
  );
}

async function tell(
  cli: Cli,
  config: Config,
  done: Restored,
  display: string,
  parts: readonly Part[],
): Promise<void> {
  const { tables, rows, files, previous, manifest, configFile } = done;
  const { createdAt } = manifest;
  await cli.out.value(
    { restored: { tables, rows, files }, createdAt, previous },
    () =>
      `Restored ${display}: ${rows.toLocaleString('en')} rows of ${tables} tables and ${files} files, as of ${localSecond(new Date(createdAt))}.`,
  );
  if (previous !== null) cli.note(`What was there before is kept in ${previous}`);
  if (configFile !== null)
    cli.note(`The configuration of the backup is in ${configFile}, for comparison; it is not in force.`);
  if (manifest.excluded.length > 0)
    cli.warn(`the backup was made without ${manifest.excluded.join(' and ')}`);
  if (parts.includes('db')) cli.warn(SAME_INSTALLATION);
  cli.next('appctl doctor', 'appctl serve');
  if (existsSync(restoreJournal(config))) cli.warn('the restore has not ended: appctl restore --continue');
}
