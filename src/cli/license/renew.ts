import { workOnEach, writeBatch } from '../batch.ts';
import { noteChange, planned } from '../change.ts';
import type { ChangeOptions, Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { timeAsked } from '../time-asked.ts';
import { confirmShortening, endText } from './term-change.ts';
import { act, type DeskLicense, licenseOf, withLicenses } from './twin.ts';
import { licenseCard, licenseColumns, refuseWholeKey } from './view.ts';

/** A license as it is now, and the end that it had. */
type Renewed = DeskLicense & { before: { validUntil: string | null } };

const columns: readonly Column<Renewed>[] = licenseColumns.flatMap((column): Column<Renewed>[] => {
  if (column.key !== 'validUntil') return [column];
  const was: Column<Renewed> = { key: 'before.validUntil', title: 'was valid until', time: true };
  return [was, column];
});

/** `appctl license renew ID… --until T | --days N [--from-now]`: one id gives a License, several a Batch. */
export async function renewLicenses(cli: Cli): Promise<number> {
  const body = renewalAsked(cli);
  const ids = cli.argumentList('id');
  for (const id of ids) refuseWholeKey('ID', id);
  return withLicenses(cli, async (desk) => {
    const renew = (id: string, options?: ChangeOptions) =>
      namingFlags({ validUntil: '--until' }, () => act(desk, id, 'renew', body, options));
    if (desk.byApiKey) {
      const { renewByKey } = await import('./by-api-key.ts');
      return renewByKey(cli, desk.byApiKey, ids, body.validUntil);
    }
    await confirmShortening(cli, desk, ids, renew);
    const work = (id: string) => renewed(desk, id, renew);
    if (ids.length > 1) return writeBatch(cli, await workOnEach(cli, ids, work), ids, columns);
    const license = await work(ids[0] as string);
    await cli.out.value(planned(cli, license), licenseCard(license));
    const { id, before, validUntil } = license;
    noteChange(
      cli,
      `renewed ${id}: it was valid ${endText(before.validUntil)} and is valid ${endText(validUntil)}`,
    );
    return 0;
  });
}

async function renewed(
  desk: Desk,
  id: string,
  renew: (id: string) => Promise<DeskLicense>,
): Promise<Renewed> {
  const { validUntil } = await licenseOf(desk, id);
  return { ...(await renew(id)), before: { validUntil } };
}

interface Renewal {
  readonly validUntil?: string;
  readonly extendDays?: number;
  readonly fromNow?: true;
}

function renewalAsked(cli: Cli): Renewal {
  const validUntil = timeAsked(cli, 'until', 'end');
  if (validUntil !== undefined) return { validUntil };
  const extendDays = cli.integer('days');
  if (extendDays === undefined)
    throw usageError('--until or --days is required', 'appctl license renew --help');
  return { extendDays, ...(cli.flag('from-now') && { fromNow: true }) };
}
