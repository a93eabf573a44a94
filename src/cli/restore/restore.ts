import { existsSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { localSecond } from '#kernel/local-time.ts';
import { becomeOwnerOf } from '#kernel/process-identity.ts';
import { PARTS, type Part } from '#platform/backup/index.ts';
import { restoreJournal } from '#platform/installation/index.ts';
import { sealingOf } from '../../app/backup/options.ts';
import { type Restored, restoreArchive } from '../../app/backup/restore.ts';
import { finishSwap, readSwap } from '../../app/backup/swap.ts';
import { type PresentState, presentState } from '../../app/backup/target.ts';
import { makeDataDirectory } from '../../app/data-directory.ts';
import { serverAnswers } from '../../app/run-files.ts';
import { findBackup, openingOf, watcherOf } from '../backup/named-backup.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';

/** `appctl restore FILE`, `appctl restore --continue`. */
export async function restoreBackup(cli: Cli): Promise<void> {
  const { config, files } = await cli.config();
  if (cli.flag('continue') === (cli.optionalArgument('file') !== undefined))
    throw usageError(
      'name a backup, or --continue to finish a restore that was interrupted',
      'to see all: appctl backup list',
    );
  if (cli.flag('continue')) return finish(cli, config);
  const backup = await findBackup(cli, config);
  const opening = await openingOf(cli, config);
  const keyFile = cli.option('master-key-file');
  const masterKey = keyFile === undefined ? null : await cli.readText('--master-key-file', keyFile);
  const parts = partsOf(cli);
  const source = await backup.open();
  if (!cli.dryRun) {
    makeDataDirectory(config.dataDir);
    becomeOwnerOf(config.dataDir);
  }
  const state: PresentState = parts.includes('db') ? await stateFor(config) : { kind: 'empty' };
  if (cli.dryRun) return rehearse(cli, config, state, backup.display);
  await confirmReplacing(cli, config, state, backup.display);
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
    };
    const done = await restoreArchive(source, options, state);
    watcher.stop();
    await tell(cli, config, done, backup.display, parts);
  } finally {
    watcher.stop();
  }
}

/** What was interrupted is finished first. @throws CliError (5) while a server runs */
async function stateFor(config: Config): Promise<PresentState> {
  if (await serverAnswers(config))
    throw conflictError(`a server is running on ${config.dataDir}`, 'stop it, then run the restore again');
  const swap = readSwap(config);
  // Of Postgres nothing can be finished: it is written anew.
  if (swap !== null && swap.databaseFile !== null) await finishSwap(config, swap);
  else if (swap !== null) await finishSwap(config, swap).catch(() => undefined);
  return presentState(config);
}

async function finish(cli: Cli, config: Config): Promise<void> {
  const swap = readSwap(config);
  if (swap === null) {
    if (!existsSync(config.dataDir))
      throw conflictError(`${config.dataDir} does not exist`, 'name the data directory: --data-dir DIR');
    cli.note('no restore was interrupted here');
  } else {
    becomeOwnerOf(config.dataDir);
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

const holdsOf = (state: PresentState): string => {
  if (state.kind === 'empty') return 'is empty';
  return state.kind === 'filled' ? `holds ${state.held}` : `cannot be read (${state.why})`;
};

/** @throws CliError (10) without the confirmation */
async function confirmReplacing(
  cli: Cli,
  config: Config,
  state: PresentState,
  display: string,
): Promise<void> {
  if (state.kind === 'empty') return;
  await cli.confirm({
    action: `replace the database of ${config.dataDir}, which ${holdsOf(state)}, by the backup ${display}`,
    name: config.serviceName,
  });
}

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
  if (parts.includes('db'))
    cli.warn(
      'this is the same installation as the one that was backed up: never serve both. Webhooks and emails of the time after the backup may be sent again',
    );
  cli.next('appctl doctor', 'appctl serve');
  if (existsSync(restoreJournal(config))) cli.warn('the restore has not ended: appctl restore --continue');
}
