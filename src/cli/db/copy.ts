import { maskUrlPassword } from '#kernel/config/mask.ts';
import { isMissingDatabase } from '#kernel/db/connect.ts';
import { type CopyPlan, planCopy, type TableCopy } from '#kernel/db/copy/copy.ts';
import { UnstorableRow } from '#kernel/db/copy/unstorable.ts';
import { localSecond } from '#kernel/local-time.ts';
import { claimInstallationId, heldIn, noteCopy, placeOf } from '#platform/installation/index.ts';
import { copyInstallation } from '../../app/copy-installation.ts';
import { type CopyTarget, openTarget } from '../../app/copy-target.ts';
import type { Instance } from '../../app/instance.ts';
import { serverAnswers } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { flushServer } from '../fresh.ts';
import { withLocal } from '../open.ts';
import { targetUrl } from './target-url.ts';
import { tellAfter, tellBefore } from './words.ts';

/** `appctl db copy`: ends with 6 when a table of the copy differs from that of the source. */
export async function copyDatabase(cli: Cli): Promise<number> {
  const url = await targetUrl(cli);
  return withLocal(cli, (source) => (cli.dryRun ? rehearse(cli, source, url) : copy(cli, source, url)));
}

/** Counts, and finds out whether the target could be used; makes nothing. */
async function rehearse(cli: Cli, source: Instance, url: string): Promise<number> {
  const installation = await claimInstallationId(source.ctx);
  const target = isMissingDatabase(url) ? null : await openTarget(source, url, installation);
  try {
    const holds = target?.state.kind ?? 'empty';
    const plan = await source.database.snapshot((db) => planCopy(db, null));
    const tables = plan.tables.map(({ name, rows }) => ({ name, rows, checksumOk: null }));
    const answer = { ...ends(source, url), takenAt: null, tables, dryRun: true };
    const words = {
      empty: 'the target is empty',
      unfinished: 'the target holds an unfinished copy of this installation, which would continue',
      filled: `the target holds an installation, which is only overwritten with --confirm ${source.config.serviceName}`,
    };
    await print(cli, answer, `Would copy ${rowsText(tables)} to ${answer.target}; ${words[holds]}.`);
    return exits.done;
  } finally {
    await target?.close();
  }
}

async function copy(cli: Cli, source: Instance, url: string): Promise<number> {
  const installation = await claimInstallationId(source.ctx);
  const target = await openTarget(source, url, installation);
  try {
    await confirmOverwriting(cli, source, target, installation);
    await target.requireUnused();
    const isServed = await serverAnswers(source.config);
    if (isServed) await flushServer(cli);
    const { tables, takenAt } = await copyShowing(cli, source, target, installation);
    const answer = { ...ends(source, url), takenAt, tables };
    const wrong = tables.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
    const summary =
      wrong.length === 0
        ? `Copied ${rowsText(tables)} to ${answer.target}. All tables match by row count and checksum.\nThe copy is as of ${localSecond(new Date(takenAt))}.`
        : `The copy in ${answer.target} differs from the source in: ${wrong.join(', ')}. It is incomplete, and no server will start on it.`;
    await print(cli, answer, summary);
    if (wrong.length > 0) return exits.verificationFailed;
    const place = await placeOf(source.config, target.database);
    await noteCopy(source.config, { at: takenAt, target: answer.target, place });
    tellAfter(cli, source, { url, takenAt, isServed });
    return exits.done;
  } finally {
    await target.close();
  }
}

const ends = ({ database }: Instance, url: string) => ({
  source: database.displayUrl,
  target: maskUrlPassword(url),
});

/** @throws CliError (10) without the confirmation */
async function confirmOverwriting(
  cli: Cli,
  { config }: Instance,
  { state, database }: CopyTarget,
  installation: string,
): Promise<void> {
  if (state.kind === 'unfinished')
    cli.note(`${database.displayUrl} holds an unfinished copy of this installation: continuing it`);
  if (state.kind !== 'filled') return;
  const whose =
    state.id === installation ? 'this installation' : `installation ${state.id ?? 'without an id'}`;
  const what = state.isUnfinished ? `an unfinished copy of ${whose}` : whose;
  const held = await heldIn(database.db);
  await cli.confirm({
    action: `overwrite ${what} in ${database.displayUrl}, which holds ${held}`,
    name: config.serviceName,
  });
}

/** @throws CliError (5) for a row that the target cannot store */
async function copyShowing(
  cli: Cli,
  source: Instance,
  target: CopyTarget,
  installation: string,
): Promise<{ tables: TableCopy[]; takenAt: string }> {
  let takenAt = source.ctx.now();
  let progress: Awaited<ReturnType<Cli['progress']>> | undefined;
  const begins = async (plan: CopyPlan, at: string): Promise<void> => {
    takenAt = at;
    tellBefore(cli, plan);
    progress = await cli.progress(
      'rows',
      plan.tables.reduce((sum, { rows }) => sum + rows, 0),
    );
  };
  try {
    const watcher = { begins, progress: (rows: number) => progress?.update(rows) };
    return { tables: await copyInstallation(source, target, installation, watcher), takenAt };
  } catch (error) {
    if (!(error instanceof UnstorableRow)) throw error;
    throw conflictError(error.message, 'change that value in the source, then run the command again');
  } finally {
    progress?.stop();
  }
}

type Answer = { tables: { name: string; rows: number; checksumOk: boolean | null }[] };

const rowsText = (tables: Answer['tables']): string => {
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  return `${rows.toLocaleString('en')} rows of ${tables.length} tables`;
};

/** Tables one by one for who asks for a list; a person reads the summary. */
async function print(cli: Cli, answer: Answer, summary: string): Promise<void> {
  if (cli.out.mode === 'json' || cli.out.mode === 'human') return cli.out.value(answer, () => summary);
  return cli.out.rows(answer, answer.tables, [
    { key: 'name' },
    { key: 'rows', align: 'right' },
    { key: 'checksumOk' },
  ]);
}
