import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, answering } from '#platform/admin/index.ts';
import { adjust, changeRules } from './levels.ts';
import { type Held, levelRows, movementRows, reservationRows, type Stocked } from './queries.ts';
import type { Movement } from './record.ts';
import { releaseOne } from './reservations.ts';
import { Adjustment, Release, Rules } from './schemas.ts';
import { inventoryScreen, movementScreen, reservationScreen } from './screen.ts';
import { stocked } from './stocked.ts';
import {
  InventoryLevelView,
  inventoryLevelView,
  movementView,
  ReservationView,
  reservationView,
  StockMovementView,
} from './view.ts';

const needs = { read: 'inventory:read', write: 'inventory:write' } as const;
const Bare = z.strictObject({});

const Adjusted = later(() =>
  z
    .object({ level: InventoryLevelView, movement: StockMovementView.nullable() })
    .meta({ id: 'StockAdjusted' }),
);

const ruled = async (ctx: Ctx, id: string, rules: z.output<typeof Rules>): Promise<Stocked> => {
  await changeRules(ctx, id, rules);
  return stocked(ctx, id);
};

/** What is in stock, for staff (storefront-api.md, U). */
export const inventoryResource = adminResource<Stocked, z.ZodObject, typeof Rules>({
  name: 'shop-inventory',
  labels: { one: 'stock level', many: 'stock levels' },
  about: 'Stock of each variant, and the units reserved by orders',
  needs,
  screen: inventoryScreen,
  rows: levelRows,
  get: stocked,
  edit: {
    schema: Rules,
    body: 'InventoryRulesBody',
    hasVersion: false,
    summary: 'Change how a variant is sold: stock tracking, backorders, low stock threshold',
    run: ruled,
  },
  actions: {
    adjust: answering<Stocked, typeof Adjusted, typeof Adjustment>({
      label: 'Adjust stock',
      summary: 'Change the stock of a variant, or set it to a counted number',
      needs: needs.write,
      level: 'mild',
      where: 'both',
      input: Adjustment,
      output: Adjusted,
      // One transaction with its answer: a rehearsal shows what would be left.
      run: (ctx, id, input) =>
        ctx.tx(async (ctx) => {
          const { movement } = await adjust(ctx, id, input);
          const level = inventoryLevelView(await stocked(ctx, id), ctx);
          return { level, movement: movement && movementView(movement) };
        }),
    }),
    track: action<Stocked, typeof Bare>({
      label: 'Track stock',
      needs: needs.write,
      level: 'mild',
      where: 'bulk',
      input: Bare,
      run: (ctx, id) => ruled(ctx, id, { trackInventory: true }),
    }),
    untrack: action<Stocked, typeof Bare>({
      label: 'Stop tracking stock',
      needs: needs.write,
      level: 'moderate',
      where: 'bulk',
      input: Bare,
      run: (ctx, id) => ruled(ctx, id, { trackInventory: false }),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/inventory',
      item: 'level',
      type: 'InventoryLevel',
      key: 'variantId',
      view: InventoryLevelView,
      toView: inventoryLevelView,
      summaries: {
        bulk: 'Change the stock or the tracking of many variants, by ids or by filter',
      },
    },
  ],
});

/** Each change of stock, for staff. */
export const movementResource = adminResource<Movement>({
  name: 'shop-movements',
  labels: { one: 'stock movement', many: 'stock movements' },
  about: 'All changes of stock',
  needs,
  screen: movementScreen,
  rows: movementRows,
  apis: [
    {
      surface: 'store',
      path: '/inventory/{variantId}/movements',
      parent: {
        name: 'variantId',
        filter: 'variantId',
        find: async (ctx, id) => (await stocked(ctx, id)).variantId,
      },
      item: 'movement',
      type: 'StockMovement',
      view: StockMovementView,
      toView: movementView,
      without: ['get', 'export', 'bulk'],
    },
  ],
});

function unknownReservation(id: string): never {
  throw fail('NOT_FOUND', `reservation ${id} does not exist`);
}

const heldOf = async (ctx: Ctx, id: string): Promise<Held> =>
  (await reservationRows.find(ctx, id)) ?? unknownReservation(id);

/** What orders hold, for staff. */
export const reservationResource = adminResource<Held>({
  name: 'shop-reservations',
  labels: { one: 'reservation', many: 'reservations' },
  about: 'Stock that orders reserve until they are paid or end',
  needs,
  screen: reservationScreen,
  rows: reservationRows,
  get: heldOf,
  actions: {
    release: action<Held, typeof Release>({
      label: 'Release',
      summary: 'Release the units that an order reserves',
      needs: needs.write,
      level: 'moderate',
      where: 'row',
      input: Release,
      when: ({ status }) => status === 'held',
      run: async (ctx, id, { reason }) => {
        await releaseOne(ctx, await heldOf(ctx, id), reason);
        return heldOf(ctx, id);
      },
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/inventory/reservations',
      item: 'reservation',
      view: ReservationView,
      toView: reservationView,
      without: ['export', 'bulk'],
    },
  ],
});
