import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { timeAsked } from '../time-asked.ts';
import { confirmShortening, endText } from './term-change.ts';
import { licenseCard, licenseColumns, refuseWholeKey } from './view.ts';

/** A license as it is now, and the end that it had. */
type Renewed = licenses.LicenseView & { before: { validUntil: string | null } };

type Renewal = (ctx: Ctx, id: string) => Promise<licenses.License>;

const columns: readonly Column<Renewed>[] = licenseColumns.flatMap((column): Column<Renewed>[] => {
  if (column.key !== 'validUntil') return [column];
  const was: Column<Renewed> = { key: 'before.validUntil', title: 'was valid until', time: true };
  return [was, column];
});

/** `appctl license renew ID… --until T | --days N [--from-now]`: one id gives a License, several a Batch. */
export async function renewLicenses(cli: Cli): Promise<number> {
  const renewal = renewalAsked(cli);
  const ids = cli.argumentList('id');
  for (const id of ids) refuseWholeKey('ID', id);
  return withLocal(cli, async ({ ctx }) => {
    await confirmShortening(cli, ctx, ids, renewal);
    const renew = (ctx: Ctx, id: string) => ctx.tx((ctx) => renewed(ctx, id, renewal));
    if (ids.length > 1) return writeBatch(cli, await changeEach(cli, ctx, ids, renew), ids, columns);
    const license = await changeOrPlan(cli, ctx, (ctx) => renew(ctx, ids[0] as string));
    await cli.out.value(planned(cli, license), licenseCard(license));
    const { id, before, validUntil } = license;
    noteChange(
      cli,
      `renewed ${id}: it was valid ${endText(before.validUntil)} and is valid ${endText(validUntil)}`,
    );
    return 0;
  });
}

async function renewed(ctx: Ctx, id: string, renewal: Renewal): Promise<Renewed> {
  const { validUntil } = await licenses.get(ctx, id);
  return { ...licenses.licenseView(ctx, await renewal(ctx, id)), before: { validUntil } };
}

function renewalAsked(cli: Cli): Renewal {
  const validUntil = timeAsked(cli, 'until', 'end');
  if (validUntil !== undefined) {
    return (ctx, licenseId) =>
      namingFlags({ validUntil: '--until' }, () => licenses.renew(ctx, { licenseId }, validUntil));
  }
  const days = cli.integer('days');
  if (days === undefined) throw usageError('--until or --days is required', 'appctl license renew --help');
  return (ctx, id) => licenses.extend(ctx, id, days, { fromNow: cli.flag('from-now') });
}
