import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import {
  type SeatDenials,
  type SeatUse,
  seatDenials,
  seatUse,
} from '#licensing/insight/seat-reports/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { flushServer } from '../fresh.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
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

const denialColumns: readonly Column<SeatDenials>[] = [
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

/** `appctl license seats [--denied]`. */
export async function showSeats(cli: Cli): Promise<void> {
  const isDenied = cli.flag('denied');
  if (cli.given('since') && !isDenied)
    throw usageError('--since belongs to --denied', 'appctl license seats --denied --since 30d');
  const asked = { ...pageAsked(cli), product: cli.option('product') };
  if (isDenied) await flushServer(cli);
  await withLocal(cli, async ({ ctx }) => {
    if (!isDenied) return cli.out.page(await seatUse(ctx, asked), useColumns);
    const since = pastAsked(cli, 'since', ctx.now(), 'start') ?? addSeconds(ctx.now(), -30 * SECONDS_PER_DAY);
    const page = await seatDenials(ctx, { ...asked, since });
    await cli.out.page(page, denialColumns);
    const [most] = page.items;
    if (most) cli.next(`appctl license update ${most.licenseId} --max-activations N`);
  });
}
