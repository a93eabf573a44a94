import type { Config } from '#kernel/config/config.ts';
import { refuseLeftDatabase } from '#platform/installation/index.ts';
import { finishSwap, readSwap } from '../../app/backup/swap.ts';
import { type PresentState, presentState, withinDatabase } from '../../app/backup/target.ts';
import { serverAnswers } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';

export const SAME_INSTALLATION =
  'this is the same installation as the one that was backed up: never serve both. Webhooks and emails of the time after the backup may be sent again';

/** Text of a key that was named; null for none. */
export async function masterKeyOf(cli: Cli): Promise<string | null> {
  const file = cli.option('master-key-file');
  return file === undefined ? null : cli.readText('--master-key-file', file);
}

/**
 * What was interrupted is finished first.
 *
 * @throws CliError (5) while a server runs; ConfigError (78) where the installation has left the database for another one
 */
export async function stateFor(config: Config): Promise<PresentState> {
  if (await serverAnswers(config))
    throw conflictError(`a server is running on ${config.dataDir}`, 'stop it, then run the restore again');
  const swap = readSwap(config);
  // Of Postgres nothing can be finished: it is written anew.
  if (swap !== null && swap.databaseFile !== null) await finishSwap(config, swap);
  else if (swap !== null) await finishSwap(config, swap).catch(() => undefined);
  const state = await presentState(config);
  if (state.kind === 'filled')
    await withinDatabase(config, (database) => refuseLeftDatabase(config, database));
  return state;
}

export const holdsOf = (state: PresentState): string => {
  if (state.kind === 'empty') return 'is empty';
  return state.kind === 'filled' ? `holds ${state.held}` : `cannot be read (${state.why})`;
};

/** @param by what replaces it. @throws CliError (10) without the confirmation */
export async function confirmReplacing(
  cli: Cli,
  config: Config,
  state: PresentState,
  by: string,
): Promise<void> {
  if (state.kind === 'empty') return;
  await cli.confirm({
    action: `replace the database of ${config.dataDir}, which ${holdsOf(state)}, by ${by}`,
    name: config.serviceName,
  });
}
