import { adminResource } from '#platform/admin/index.ts';
import { reasonRows } from './queries.ts';
import { StoreReasonView, storeReasonView } from './reason-view.ts';
import { changeReason, createReason, removeReason } from './reasons.ts';
import type { ReturnReason } from './record.ts';
import { ReasonCreate, ReasonUpdate } from './schemas.ts';
import { reasonScreen } from './screen.ts';

/** Why goods come back, as customers choose it (storefront-api.md, W). */
export const returnReasonResource = adminResource<ReturnReason, typeof ReasonCreate, typeof ReasonUpdate>({
  name: 'shop-return-reasons',
  labels: { one: 'return reason', many: 'return reasons' },
  about: 'Reasons that customers choose from when they return something',
  needs: { read: 'settings:read', write: 'settings:write' },
  screen: reasonScreen,
  rows: reasonRows,
  create: {
    schema: ReasonCreate,
    summary: 'Add a return reason',
    run: (ctx, { active, ...input }) => createReason(ctx, { ...input, isActive: active }),
  },
  edit: {
    schema: ReasonUpdate,
    hasVersion: false,
    summary: 'Change a return reason',
    run: (ctx, id, { active, ...change }) => changeReason(ctx, id, { ...change, isActive: active }),
  },
  remove: {
    level: 'moderate',
    summary: 'Remove a return reason; one that was used is turned off',
    run: (ctx, id) => removeReason(ctx, id),
  },
  apis: [
    {
      surface: 'store',
      path: '/return-reasons',
      item: 'reason',
      type: 'StoreReturnReason',
      view: StoreReasonView,
      toView: storeReasonView,
      paged: false,
      without: ['bulk', 'export'],
    },
  ],
});
