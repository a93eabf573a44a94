import type { Denials, SeatUse } from '#licensing/insight/reports/index.ts';
import { timeAt } from '../desk/desk.ts';
import { type Twins, withDesk } from '../desk/open.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { flushServer } from '../fresh.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { pastAsked } from '../time-asked.ts';

const useColumns: readonly Column<SeatUse>[] = [
  { key: 'licenseId', title: 'license' },
  { key: 'keyPrefix', title: 'key' },
  { key: 'productSlug', title: 'product' },
  { key: 'customerEmail', title: 'customer' },
  { key: 'status' },
  { key: 'seatsUsed', title: 'used', align: 'right' },
  { key: 'seatsTotal', title: 'of', align: 'right' },
  { key: 'seatsAvailable', title: 'free', align: 'right' },
];

const denialColumns: readonly Column<Denials>[] = [
  { key: 'licenseId', title: 'license' },
  { key: 'keyPrefix', title: 'key' },
  { key: 'productSlug', title: 'product' },
  { key: 'customerEmail', title: 'customer' },
  { key: 'seatsTotal', title: 'seats', align: 'right' },
  { key: 'denied', title: 'refused', align: 'right' },
  { key: 'days', align: 'right' },
  { key: 'distinctMachines', title: 'machines', align: 'right' },
  { key: 'lastDeniedAt', title: 'last', time: true },
];

const twins: Twins = async () =>
  (await import('#licensing/insight/reports/admin-endpoints.ts')).seatReportAdminEndpoints;

/** `appctl license seats [--denied]`. */
export async function showSeats(cli: Cli): Promise<void> {
  const isDenied = cli.flag('denied');
  if (cli.given('since') && !isDenied)
    throw usageError('--since only works with --denied', 'appctl license seats --denied --since 30d');
  const asked = { ...pageAsked(cli), productId: cli.option('product') };
  await namingFlags({ productId: '--product', from: '--since' }, () =>
    withDesk(cli, twins, async (desk) => {
      if (!isDenied) return cli.out.page(await desk.get<DeskPage<SeatUse>>('stats/seats', asked), useColumns);
      // A server on this data directory may still have the last refusals in its memory.
      if (desk.local !== null) await flushServer(cli);
      const from = pastAsked(cli, 'since', timeAt(desk), 'start');
      const page = await desk.get<DeskPage<Denials>>('stats/denials', { ...asked, from });
      await cli.out.page(page, denialColumns);
      const [most] = page.items;
      if (most?.licenseId) cli.next(`appctl license update ${most.licenseId} --max-activations N`);
    }),
  );
}
