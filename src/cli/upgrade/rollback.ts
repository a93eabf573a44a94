import { existsSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { localSecond } from '#kernel/local-time.ts';
import { serverAnswers } from '../../app/run-files.ts';
import { type Journal, readJournal } from '../../app/upgrade/journal.ts';
import {
  lockPlace,
  ownPlace,
  type Place,
  replacedMeanwhile,
  requireWritable,
} from '../../app/upgrade/place.ts';
import { ownSha256, sha256Of } from '../../app/upgrade/program.ts';
import { addedMigrations } from '../../app/upgrade/return.ts';
import { rollback } from '../../app/upgrade/rollback.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, notFoundError } from '../frame/errors.ts';
import { requireOwnData, serverView } from './apply.ts';

/** `appctl upgrade rollback`. */
export async function rollBack(cli: Cli): Promise<void> {
  const place = ownPlace();
  const { config, files } = await cli.config();
  const program = await ownSha256();
  const last = lastUpgrade(place);
  const journal = { ...last, back: cli.required('database') as Journal['back'] };
  requireOwnData(journal, config.dataDir);
  const installation = { config, files };
  const { added } = await addedMigrations(place.exe, journal, installation);
  const changes = added.length > 0;
  const { from, to } = journal;
  const answer = { current: to.version, restored: from.version, backup: null, server: null };
  const planned = changes
    ? ({ convert: 'converted', restore: 'restored' } as const)[journal.back]
    : 'unchanged';
  const action = `replace appctl ${to.version} by ${from.version}${databaseWords(journal, added)}`;
  if (cli.dryRun)
    return cli.out.value({ ...answer, database: planned, dryRun: true }, () => `Would ${action}.`);
  requireWritable(place);
  if (changes) await requireStopped(config);
  await cli.confirm({ action, name: config.serviceName }, changes ? 'severe' : 'moderate');
  const unlock = await lockPlace(place);
  try {
    // Whoever had the lock until now may have changed what was agreed to.
    const isSame = JSON.stringify(lastUpgrade(place)) === JSON.stringify(last);
    if (!isSame || (await sha256Of(place.exe)) !== program) throw replacedMeanwhile(place);
    if (changes) await requireStopped(config);
    const { way, backup, restarted } = await rollback(journal, { place, installation }, changes);
    await cli.out.value({ ...answer, database: way, backup, server: serverView(restarted) }, () =>
      [
        `appctl ${from.version} is in place again.`,
        ...(restarted === null ? [] : [`Process ${restarted.pid} serves and is healthy.`]),
        ...(backup === null ? [] : [`What the newer version had is in the backup ${backup}.`]),
      ].join('\n'),
    );
    if (restarted === null) cli.next('appctl serve');
  } finally {
    unlock();
  }
}

/** @throws CliError (5) */
async function requireStopped(config: Config): Promise<void> {
  if (await serverAnswers(config))
    throw conflictError(
      `a server is running on ${config.dataDir}, and the database has to change`,
      'stop it (under systemd: sudo systemctl stop appctl.socket appctl.service), run the rollback, then start it again',
    );
}

/** @throws CliError (3) where nothing can be returned to, (5) while an upgrade has to be finished first */
function lastUpgrade(place: Place): Journal {
  const journal = readJournal(place);
  if (journal?.state === 'ready' || journal?.state === 'returning')
    throw conflictError(
      `the upgrade to appctl ${journal.to.version} was interrupted`,
      'finish it: appctl upgrade apply --continue',
    );
  if (journal === null || journal.state === 'undone' || !existsSync(place.previous))
    throw notFoundError(
      'no former version was found beside this executable',
      'appctl upgrade apply keeps the former one',
    );
  return journal;
}

function databaseWords({ back, backup, at }: Journal, added: readonly string[]): string {
  if (added.length === 0) return '; the database does not change';
  if (back === 'restore')
    return ` and the database by the backup ${backup ?? '(none was made)'} of ${localSecond(new Date(at))}: what was written since then is lost to it`;
  return ` and undo ${added.join(', ')} in the database: what only the newer version can store is lost to it`;
}
