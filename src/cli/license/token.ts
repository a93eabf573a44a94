import { SECONDS_PER_DAY, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import * as offlineTokens from '#licensing/licenses/offline-tokens/index.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { humanTime } from '../frame/times.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { drawQr } from './qr.ts';
import { idAsked } from './view.ts';

const flags = { machineId: '--machine', ttlSeconds: '--days' };

/** `appctl license token ID --machine M [--days N] [--activate] [--qr]`. */
export function issueToken(cli: Cli): Promise<void> {
  const id = idAsked(cli);
  return withLocal(cli, async ({ ctx }) => {
    const issued = await namingFlags(flags, () => issue(cli, ctx, id));
    const { token, expiresAt } = issued;
    await cli.out.value(planned(cli, issued), () => token ?? '');
    noteChange(
      cli,
      `offline token for ${cli.required('machine')}, good until ${humanTime(expiresAt, systemClock.epochMs())}`,
    );
    if (cli.flag('qr') && token !== null) await drawQr(cli, token);
  });
}

/** A dry run tells the end but makes no token: one that nobody recorded must not exist. */
async function issue(cli: Cli, ctx: Ctx, id: string): Promise<{ token: string | null; expiresAt: string }> {
  const machineId = cli.required('machine');
  const seconds = (cli.integer('days') ?? 0) * SECONDS_PER_DAY;
  const options = { activate: cli.flag('activate') };
  const work = async (ctx: Ctx) => {
    if (!cli.dryRun) return offlineTokens.issue(ctx, id, machineId, seconds, options);
    return { token: null, ...(await offlineTokens.plan(ctx, id, machineId, seconds, options)) };
  };
  return withCure(() => changeOrPlan(cli, ctx, work));
}

/** Who reads that a machine is not activated wants to know that this command can do that, too. */
async function withCure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_ACTIVATED') throw error;
    const details = { ...error.details, hint: 'add --activate to bind the license to the machine first' };
    throw new AppError(error.code, error.status, error.message, { details });
  }
}

const columns: readonly Column<offlineTokens.IssuedToken>[] = [
  { key: 'id' },
  { key: 'activationId', title: 'activation' },
  { key: 'issuedAt', title: 'issued', time: true },
  { key: 'expiresAt', title: 'until', time: true },
  { key: 'issuedBy', title: 'by' },
];

/** `appctl license tokens ID`. */
export function listTokens(cli: Cli): Promise<void> {
  const id = idAsked(cli);
  return withLocal(cli, async ({ ctx }) => {
    await cli.out.page(await offlineTokens.list(ctx, id, pageAsked(cli)), columns);
  });
}
