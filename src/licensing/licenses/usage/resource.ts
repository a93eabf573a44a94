import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { integer } from '#kernel/http/fields.ts';
import { fail } from '#licensing/contract/errors.ts';
import { action, adminResource } from '#platform/admin/index.ts';
import { update } from '../licenses/index.ts';
import { reset } from './counter.ts';
import { usageRows } from './rows/queries.ts';
import { usageScreen } from './screen.ts';
import { UsageRowView } from './view.ts';

const RaiseBody = z.strictObject({ maxUses: integer(0).nullable() });

async function get(ctx: Ctx, id: string): Promise<UsageRowView> {
  const row = await usageRows.find(ctx, id);
  if (row) return row;
  throw fail('NOT_FOUND', `license ${id} does not count uses, or does not exist`);
}

const afterwards = (ctx: Ctx, id: string, work: (ctx: Ctx) => Promise<unknown>): Promise<UsageRowView> =>
  ctx.tx(async (ctx) => {
    const before = await get(ctx, id);
    await work(ctx);
    // Without a limit, a counter at 0 is none.
    return (
      (await usageRows.find(ctx, id)) ?? {
        ...before,
        current: 0,
        max: null,
        remaining: null,
        percentUsed: null,
        byFeature: {},
      }
    );
  });

/** What licenses have used of their limits, for staff (admin.md 5.5, Usage). */
export const usageResource = adminResource<UsageRowView>({
  name: 'usage',
  labels: { one: 'usage counter', many: 'usage counters' },
  about: 'How much of their limits licenses have used',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: usageScreen,
  rows: usageRows,
  get,
  actions: {
    reset: action<UsageRowView>({
      label: 'Reset',
      summary: 'Reset the counter of a license to 0',
      needs: 'licensing:write',
      level: 'moderate',
      where: 'both',
      run: (ctx, id) => afterwards(ctx, id, (ctx) => reset(ctx, id)),
    }),
    'raise-limit': action<UsageRowView, typeof RaiseBody>({
      label: 'Raise limit',
      summary: 'Change the usage limit of a license; null uses the limit of its policy',
      needs: 'licensing:write',
      level: 'moderate',
      where: 'both',
      input: RaiseBody,
      run: (ctx, id, { maxUses }) => afterwards(ctx, id, (ctx) => update(ctx, id, { maxUses })),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/usage',
      item: 'usage',
      view: UsageRowView,
      toView: (row) => row,
    },
  ],
});
