import type { Restarted } from '../../app/handover.ts';
import { applyUpgrade, finishUpgrade, type Upgraded, type Upgrading } from '../../app/upgrade/apply.ts';
import type { Offer } from '../../app/upgrade/feed.ts';
import { isUnfinished, type Journal, readJournal } from '../../app/upgrade/journal.ts';
import { lockPlace, ownPlace, type Place, requireWritable } from '../../app/upgrade/place.ts';
import { ownSha256 } from '../../app/upgrade/program.ts';
import { resumed } from '../../app/upgrade/resume.ts';
import { watcherOf } from '../backup/named-backup.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';
import { feedAsked, offeredView } from './check.ts';
import { trustedConfig } from './trusted-config.ts';

/** `appctl upgrade apply [--file FILE]`, `appctl upgrade apply --continue`. */
export async function applyVersion(cli: Cli): Promise<void> {
  if (cli.flag('continue')) return continueUpgrade(cli);
  const place = ownPlace();
  const { config, files } = await trustedConfig(cli);
  const program = await ownSha256();
  const feed = await feedAsked(cli, config);
  const offer = await feed.offer();
  const view = offeredView(config, offer);
  const nothing = { ...view, backup: null, rolledBack: false, server: null };
  if (offer === null)
    return cli.out.value(nothing, () => `appctl ${view.current} is the newest version at ${feed.display}`);
  const action = `replace appctl ${view.current} at ${place.exe} by ${offer.version}`;
  if (cli.dryRun)
    return cli.out.value({ ...nothing, dryRun: true }, () => `Would ${action}. Its signature is valid.`);
  requireWritable(place);
  await cli.confirm({ action });
  const unlock = await lockPlace(place);
  const shown = stagesOf(cli, offer);
  try {
    const upgrading = {
      place,
      program,
      installation: { config, files },
      makesBackup: !cli.flag('no-backup'),
      ...shown,
    };
    await tell(cli, await applyUpgrade(feed, offer, upgrading), view);
  } finally {
    shown.stop();
    unlock();
  }
}

/** Goes on where a killed upgrade ended, forward or back. */
async function continueUpgrade(cli: Cli): Promise<void> {
  const place = ownPlace();
  const { config, files } = await cli.config();
  requireOwnData(interrupted(place), config.dataDir);
  requireWritable(place);
  const unlock = await lockPlace(place);
  const shown = stagesOf(cli, null);
  try {
    // Whoever had the lock until now may have finished it.
    const journal = interrupted(place);
    const view = {
      ...offeredView(config, null),
      current: journal.from.version,
      available: journal.to.version,
    };
    const installation = { config, files };
    const upgrading: Upgrading = { place, installation, program: null, makesBackup: false, ...shown };
    const state = await resumed(journal, upgrading);
    if (state === 'nothing') {
      const answer = { ...view, backup: journal.backup, rolledBack: true, server: null };
      return await cli.out.value(
        answer,
        () => `Nothing had been replaced yet. appctl ${journal.from.version} stays.`,
      );
    }
    if (state !== 'forward') return await tellReturn(cli, journal, view);
    await tell(cli, await finishUpgrade(readJournal(place) ?? journal, upgrading), view);
  } finally {
    shown.stop();
    unlock();
  }
}

/** @throws CliError (5) where nothing is left to do */
function interrupted(place: Place): Journal {
  const journal = readJournal(place);
  if (isUnfinished(journal)) return journal;
  throw conflictError('no upgrade of this executable was interrupted', 'to begin one: appctl upgrade apply');
}

type View = ReturnType<typeof offeredView>;

/** The database goes back by what was noted of it. @throws CliError (5) */
export function requireOwnData(journal: Journal, dataDir: string): void {
  if (journal.dataDir === dataDir) return;
  throw conflictError(
    `this executable was upgraded for the installation in ${journal.dataDir}, not for ${dataDir}`,
    `add --data-dir ${journal.dataDir}`,
  );
}

async function tell(cli: Cli, { journal, restarted }: Upgraded, view: View): Promise<void> {
  const { from, to, backup, isAhead } = journal;
  const answer = { ...view, backup, rolledBack: false, server: serverView(restarted) };
  await cli.out.value(answer, () =>
    [
      `Upgraded appctl ${from.version} to ${to.version}.`,
      restarted === null
        ? 'No server was running: the next start uses the new version.'
        : `Process ${restarted.pid} serves and is healthy.`,
      ...(isAhead ? ['Another server had already changed the schema: this one made no backup.'] : []),
      ...(backup === null ? [] : [`The database of before is in the backup ${backup}.`]),
    ].join('\n'),
  );
  cli.note('The former version is kept: appctl upgrade rollback returns to it');
  if (restarted?.unit) cli.note(`Whether ${restarted.unit} is up to date: appctl doctor env.service-unit`);
}

async function tellReturn(cli: Cli, { from, to, backup }: Journal, view: View): Promise<void> {
  const answer = { ...view, backup, rolledBack: true, server: null };
  await cli.out.value(
    answer,
    () => `The return from appctl ${to.version} is finished: ${from.version} is in place.`,
  );
  cli.next('appctl serve');
}

/** What is printed about a server that was handed over. */
export const serverView = (restarted: Restarted | null) =>
  restarted && { pid: restarted.pid, ms: restarted.ms, unit: restarted.unit };

/** Shows the stages of an upgrade one after the other. */
export function stagesOf(
  cli: Cli,
  offer: Offer | null,
): Pick<Upgrading, 'stage' | 'progress'> & { stop(): void } {
  const watcher = watcherOf(cli);
  return {
    ...watcher,
    stage: (name) => watcher.stage(name, name === 'fetching' ? (offer?.bundleSize ?? 0) : 0),
  };
}
