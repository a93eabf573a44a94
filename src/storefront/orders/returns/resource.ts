import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { action, adminResource, answering } from '#platform/admin/index.ts';
import { requireRefunder } from '../desk/index.ts';
import * as orders from '../orders/index.ts';
import { approve, cancel, reject } from './decide.ts';
import { write } from './messages.ts';
import { refundWords } from './previews.ts';
import { type ReturnOf, returnRows } from './queries.ts';
import { receive } from './receive.ts';
import type { Return } from './record.ts';
import { request } from './request.ts';
import * as returns from './returns.ts';
import {
  Approving,
  Closing,
  Messaging,
  Receiving,
  Refunding,
  Rejecting,
  ReturnCreate,
  Withdrawing,
} from './schemas.ts';
import { returnScreen } from './screen.ts';
import { close, refund } from './settle.ts';
import { allowedIn, type Trigger } from './states.ts';
import {
  messageView,
  ReturnMessageView,
  StoreReturnSummaryView,
  StoreReturnView,
  storeReturnSummaryViews,
  storeReturnView,
} from './view.ts';

const needs = { read: 'orders:read', write: 'orders:write' } as const;
const common = { needs: needs.write, where: 'row' } as const;

/** Makes a change and reads what it left in the same transaction: a rehearsal leaves nothing behind it. */
const shown = (ctx: Ctx, work: (ctx: Ctx) => Promise<Return>): Promise<ReturnOf> =>
  ctx.tx(async (ctx) => read(ctx, await work(ctx)));
const read = async (ctx: Ctx, { id }: Return): Promise<ReturnOf> =>
  (await returnRows.find(ctx, id)) as ReturnOf;

const allows =
  (trigger: Trigger) =>
  ({ status }: ReturnOf): boolean =>
    allowedIn(status).includes(trigger);

async function create(ctx: Ctx, input: z.output<typeof ReturnCreate>, onceKey?: string): Promise<ReturnOf> {
  const order = await orders.get(ctx, input.orderId);
  const asked = {
    items: input.items.map(({ mediaIds, ...item }) => ({ ...item, media: mediaIds })),
    resolution: input.resolution ?? ('refund' as const),
    exchangeVariantId: input.exchangeVariantId,
    onceKey,
  };
  const how = { by: 'staff' as const, isLate: input.isLate, approve: input.approve };
  return read(ctx, await request(ctx, order, asked, how));
}

/** What staff do with returns (storefront-api.md, W). */
export const returnResource = adminResource<ReturnOf>({
  name: 'shop-returns',
  labels: { one: 'return', many: 'returns' },
  about: 'Returns with their decisions, arrivals and refunds',
  needs,
  screen: returnScreen,
  rows: returnRows,
  get: async (ctx, idOrNumber) => read(ctx, await returns.get(ctx, idOrNumber)),
  actions: {
    // Not a creation of the engine: the panel has a page of its own, which shows what can be returned.
    create: answering<ReturnOf, typeof StoreReturnView, typeof ReturnCreate>({
      needs: needs.write,
      label: 'New return',
      summary: 'Create a return for a customer',
      level: 'mild',
      where: 'page',
      path: '',
      status: 201,
      rehearsable: false,
      input: ReturnCreate,
      output: StoreReturnView,
      run: async (ctx, _id, input, how) => storeReturnView(await create(ctx, input, how.idempotencyKey), ctx),
    }),
    approve: action<ReturnOf, typeof Approving>({
      ...common,
      label: 'Approve',
      summary: 'Approve a return or some of its units; items without shipping are received immediately',
      level: 'moderate',
      rehearsable: false,
      input: Approving,
      when: allows('approve'),
      run: async (ctx, id, input) => read(ctx, await approve(ctx, id, input)),
    }),
    reject: action<ReturnOf, typeof Rejecting>({
      ...common,
      label: 'Reject',
      summary: 'Reject a return with a reason for the customer',
      level: 'moderate',
      input: Rejecting,
      when: allows('reject'),
      run: (ctx, id, { reason }) => shown(ctx, (ctx) => reject(ctx, id, reason)),
    }),
    receive: action<ReturnOf, typeof Receiving>({
      ...common,
      label: 'Receive',
      summary: 'Record which items have arrived, and their condition',
      level: 'moderate',
      input: Receiving,
      when: allows('receive'),
      run: (ctx, id, { items }) => shown(ctx, (ctx) => receive(ctx, id, items)),
    }),
    refund: action<ReturnOf, typeof Refunding>({
      ...common,
      label: 'Refund',
      summary: 'Refund the received items, less a restocking fee',
      needs: 'orders:refund',
      or: 'orders:write',
      level: 'moderate',
      rehearsable: false,
      input: Refunding,
      when: allows('refund'),
      preview: refundWords,
      run: async (ctx, id, input) => {
        requireRefunder(ctx);
        return read(ctx, (await refund(ctx, id, input)).one);
      },
    }),
    close: action<ReturnOf, typeof Closing>({
      ...common,
      label: 'Close without refund',
      summary: 'Close a received return without a refund',
      level: 'severe',
      input: Closing,
      when: allows('close'),
      run: (ctx, id, { reason }) => shown(ctx, (ctx) => close(ctx, id, reason)),
    }),
    cancel: action<ReturnOf, typeof Withdrawing>({
      ...common,
      label: 'Cancel',
      summary: 'Cancel a return before any of it has arrived',
      level: 'moderate',
      input: Withdrawing,
      when: allows('cancel'),
      run: (ctx, id, { reason }) => shown(ctx, (ctx) => cancel(ctx, id, reason ?? null)),
    }),
    messages: answering<ReturnOf, typeof ReturnMessageView, typeof Messaging>({
      ...common,
      label: 'Write',
      summary: 'Send a message about a return, or add an internal note',
      level: 'mild',
      status: 201,
      input: Messaging,
      output: ReturnMessageView,
      run: async (ctx, id, { body, internal }) =>
        messageView(await write(ctx, id, 'staff', { body, isInternal: internal })),
    }),
  },
  palette: {
    title: ({ returnNumber }) => `Return ${returnNumber}`,
    hint: ({ email }) => email,
  },
  apis: [
    {
      surface: 'store',
      path: '/returns',
      item: 'return',
      type: 'StoreReturn',
      view: StoreReturnSummaryView,
      toViews: storeReturnSummaryViews,
      details: { view: StoreReturnView, toView: storeReturnView },
      answers: 'details',
      without: ['bulk'],
    },
  ],
});
