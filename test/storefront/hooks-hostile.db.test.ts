// Hooks of the operator that do what they should not: the shop answers as reliability A183 says, and goes on.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { switchboard } from '../support/hooks.ts';
import type { HttpReply } from '../support/http-client.ts';
import { eventually } from '../support/server-process.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { CHANGED_MIND, returnTools } from './return-shop.ts';
import { mug } from './store-client.ts';

const { dir, on, clear } = switchboard();
let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop({ env: { APPCTL_HOOKS_DIR: dir } });
}, 60_000);
afterEach(() => {
  clear();
  // The next test does not wait until hooks have rested.
  for (const [one] of shop.app.ctx.hooks.loaded?.byEvent.values() ?? []) if (one) one.lateInRow = 0;
});
afterAll(() => shop?.app.close());

const codeOf = ({ status, body }: HttpReply) => [status, body.error_code];
const FAILED = [500, 'INTERNAL_ERROR'];
const countOf = async (table: string): Promise<number> =>
  Number((await shop.knex()(table).count({ n: '*' }).first())?.n);

const subscribed = (event: string) => shop.app.ctx.hooks.loaded?.byEvent.get(event)?.[0];
/** What was given up after five seconds goes on by itself until it fails. */
const settled = (event: string) => eventually(() => subscribed(event)?.underWay === 0);

describe('a hook that calls the API, and so itself', () => {
  it('ends as a failure of the server: nothing is written, and the shop goes on', async () => {
    const before = await countOf('products');
    on['before:product.created'] = async () => {
      const { status } = await shop.staff.send('/products', 'POST', mug());
      if (status !== 201) throw new Error(`the product was not made: ${status}`);
    };
    expect(codeOf(await shop.staff.send('/products', 'POST', mug()))).toEqual(FAILED);
    await settled('before:product.created');
    expect(await countOf('products')).toBe(before);
    // It ended by itself, and not because it was switched off.
    expect(subscribed('before:product.created')?.errors).toBeGreaterThan(1);
    expect((await shop.staff.send('/products')).status).toBe(200);
  }, 90_000);

  it('at the checkout holds no stock', async () => {
    const variantId = await shop.stocked(9);
    on['before:order.create'] = async () => {
      await shop.placed(variantId, 1, 'offline');
    };
    const shopper = await shop.withCart(variantId);
    expect(codeOf(await shopper.post('/checkout', shop.order('fake')))).toEqual(FAILED);
    await settled('before:order.create');
    clear();
    expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 9, reserved: 0 });
  }, 90_000);
});

/** Everything that a hook may come before, with what is written when it goes on. */
const doings: readonly (readonly [point: string, table: string, act: () => Promise<HttpReply>])[] = [
  ['product.created', 'products', () => shop.staff.send('/products', 'POST', mug())],
  [
    'customer.created',
    'customers',
    () => shop.staff.send('/customers', 'POST', { email: `${crypto.randomUUID()}@example.test` }),
  ],
  [
    'return.requested',
    'returns',
    async () => {
      const { order, item } = await returnTools(shop).delivered();
      return shop.staff.send('/returns', 'POST', {
        order_id: order.id,
        items: [{ order_item_id: item, quantity: 1, reason_id: CHANGED_MIND }],
      });
    },
  ],
];

describe.each(doings)('before %s', (point, table, act) => {
  const rows = () => countOf(table);
  const event = `before:${point}`;

  it.each([
    ['throws', thrown],
    ['returns what it may not change', () => ({ id: 'x' })],
    ['returns garbage', () => 'garbage'],
  ])('a hook that %s: nothing is written', async (_what, hook) => {
    const before = await rows();
    on[event] = hook;
    const reply = await act();
    expect(codeOf(reply)).toEqual(FAILED);
    expect(reply.text).not.toContain('of the operator');
    expect(await rows()).toBe(before);
  });

  it('a HookError: its words, and nothing is written', async () => {
    const before = await rows();
    on[event] = (_payload, _about, HookError) => {
      throw new HookError('Not today');
    };
    const { status, body } = await act();
    expect([status, body.error_code, body.details, body.error]).toEqual([
      400,
      'VALIDATION_ERROR',
      expect.objectContaining({ reason: 'HOOK_REJECTED' }),
      'Not today',
    ]);
    expect(await rows()).toBe(before);
  });
});

function thrown(): never {
  throw new TypeError('secret of the operator');
}

describe('a hook that hangs', () => {
  it.each(doings)(
    'before %s: given up after five seconds, and nothing is written',
    async (point, table, act) => {
      const before = await countOf(table);
      on[`before:${point}`] = () => new Promise(() => undefined);
      const started = performance.now();
      expect(codeOf(await act())).toEqual(FAILED);
      expect(performance.now() - started).toBeGreaterThan(4900);
      expect(await countOf(table)).toBe(before);
    },
    60_000,
  );
});
