import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { action, adminResource } from '#platform/admin/index.ts';
import { remove } from '../machines/index.ts';
import { type SeatRow, seatRows } from './rows/queries.ts';
import { seatScreen } from './screen.ts';
import { SeatView } from './view.ts';

async function get(ctx: Ctx, id: string): Promise<SeatRow> {
  const row = await seatRows.find(ctx, id);
  if (row) return row;
  throw fail('NOT_FOUND', `no seat is in use under ${id}`);
}

const MS = 1000;

/** The seats of floating licenses that are in use, for staff (admin.md 5.5). */
export const seatResource = adminResource<SeatRow>({
  name: 'seats',
  labels: { one: 'seat', many: 'seats' },
  about: 'Seats of floating licenses',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: seatScreen,
  rows: seatRows,
  get,
  actions: {
    release: action<SeatRow>({
      label: 'Check in',
      summary: 'Check in a seat for its machine; returns the seat as it was',
      needs: 'licensing:write',
      level: 'moderate',
      where: 'both',
      run: (ctx, id) =>
        ctx.tx(async (ctx) => {
          const seat = await get(ctx, id);
          await remove(ctx, seat.licenseId, seat.machineId);
          return seat;
        }),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/seats',
      item: 'seat',
      view: SeatView,
      toView: (row, ctx) => ({
        ...row,
        secondsLeft: Math.max(0, Math.ceil((Date.parse(row.leaseExpiresAt) - Date.parse(ctx.now())) / MS)),
      }),
    },
  ],
});
