import type { Ctx } from '#kernel/context.ts';
import { lineTitle, quantitiesLeft } from './changes.ts';
import { keepCode } from './codes.ts';
import { type Line, linesOf } from './queries.ts';
import { type Cart, MOST_CODES, MOST_UNITS } from './record.ts';
import * as repo from './repository.ts';

/** A line whose quantity was lowered: carts together asked for more than there is. */
export interface Capped {
  readonly itemId: string;
  readonly title: string;
  readonly wanted: number;
  readonly quantity: number;
}

/** What came along from the cart of a browser. */
export interface Merged {
  /** Lines that the browser's cart had. */
  readonly moved: number;
  readonly capped: readonly Capped[];
}

/**
 * Brings the cart of a browser into that of a customer who signs in (storefront-domain 7.4): equal lines are added up,
 * the others move, codes are united, and what the guest said of the delivery wins. No line is lost; what exceeds a bound
 * or the stock is lowered and named.
 */
export async function merge(
  ctx: Ctx,
  { sessionKey, customerId }: { readonly sessionKey: string; readonly customerId: string },
): Promise<Merged> {
  return ctx.tx(async (ctx) => {
    const guest = await repo.takeCart(ctx, { sessionKey, customerId: null });
    if (!guest) return { moved: 0, capped: [] };
    const { length: moved } = await linesOf(ctx, guest.id);
    const own = await repo.takeCart(ctx, { sessionKey: null, customerId });
    if (own) return { moved, capped: await united(ctx, guest, own, delivery(guest)) };
    await repo.updateCart(ctx, { ...guest, sessionKey: null, customerId });
    return { moved, capped: await lowered(ctx, await linesOf(ctx, guest.id), new Map()) };
  });
}

/** Carts of two customers who are about to become one, held. */
export interface HeldCarts {
  readonly from: Cart | null;
  readonly to: Cart | null;
}

/** Holds the active carts of two customers; before their orders and themselves, as a checkout does. */
export async function holdCarts(ctx: Ctx, fromId: string, toId: string): Promise<HeldCarts> {
  const held = new Map<string, Cart | null>();
  // The lower id first: two that become one in both directions at once do not wait for each other.
  for (const customerId of [fromId, toId].toSorted())
    held.set(customerId, await repo.takeCart(ctx, { sessionKey: null, customerId }));
  return { from: held.get(fromId) ?? null, to: held.get(toId) ?? null };
}

/** Brings the cart of one customer into that of another one; ended carts go along. */
export async function moveCarts(
  ctx: Ctx,
  { from, to }: HeldCarts,
  { fromId, toId }: { readonly fromId: string; readonly toId: string },
): Promise<void> {
  if (from && to) await united(ctx, from, to, {});
  await repo.moveCarts(ctx, fromId, toId);
}

/** @param said of the delivery, in place of what the own cart says @returns lines with fewer units than were wanted */
async function united(ctx: Ctx, other: Cart, own: Cart, said: Partial<Cart>): Promise<Capped[]> {
  const wanted = await bringLines(ctx, other, own);
  for (const code of (await repo.codesOf(ctx, other.id)).slice(0, MOST_CODES)) await bring(ctx, own, code);
  await repo.updateCart(ctx, { ...own, ...said });
  await repo.updateCart(ctx, { ...other, status: 'merged', updatedAt: ctx.now() });
  return lowered(ctx, await linesOf(ctx, own.id), wanted);
}

/** Gives the cart of a browser to its session under another id, which it gets between the two steps of a sign-in. */
export const moveCart = (ctx: Ctx, fromKey: string | null, toKey: string | null): Promise<unknown> =>
  fromKey === null || toKey === null ? Promise.resolve() : ctx.tx((ctx) => repo.rekey(ctx, fromKey, toKey));

/** Where there is no room for another code, those of the customer stay. */
async function bring(ctx: Ctx, own: Cart, code: Awaited<ReturnType<typeof repo.codesOf>>[number]) {
  const alike = (await repo.codesOf(ctx, own.id)).filter(({ kind }) => kind === code.kind);
  if (alike.length < MOST_CODES) await keepCode(ctx, own, code);
}

/** @returns what each line of the own cart was asked for, where that is more than a line may have */
async function bringLines(ctx: Ctx, guest: Cart, own: Cart): Promise<Map<string, number>> {
  const had = await linesOf(ctx, own.id);
  const wanted = new Map<string, number>();
  let position = had.length;
  for (const line of await linesOf(ctx, guest.id)) {
    const same = had.find(({ lineKey }) => lineKey === line.lineKey);
    if (!same) await repo.moveItem(ctx, line.itemId, own.id, position++);
    else {
      const sum = same.quantity + line.quantity;
      wanted.set(same.itemId, sum);
      await repo.setQuantity(ctx, same.itemId, Math.min(MOST_UNITS, same.maxQuantity ?? MOST_UNITS, sum));
    }
  }
  return wanted;
}

/** What the guest said last is meant; what was left open stays as the customer had it. */
function delivery(guest: Cart): Partial<Cart> {
  const { email, phone, shippingAddress, billingAddress, shippingMethodId, note, giftMessage } = guest;
  const said = { email, phone, shippingAddress, billingAddress, shippingMethodId, note, giftMessage };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
}

/** Lowers lines to what there is, and never to nothing: a sold-out line stays and is said to be so. */
async function lowered(
  ctx: Ctx,
  lines: readonly Line[],
  wanted: ReadonlyMap<string, number>,
): Promise<Capped[]> {
  const short = quantitiesLeft(lines);
  const capped: Capped[] = [];
  for (const line of lines) {
    const quantity = Math.max(1, short.get(line.itemId) ?? line.quantity);
    const asked = wanted.get(line.itemId) ?? line.quantity;
    if (quantity !== line.quantity) await repo.setQuantity(ctx, line.itemId, quantity);
    if (quantity < asked)
      capped.push({ itemId: line.itemId, title: lineTitle(line), wanted: asked, quantity });
  }
  return capped;
}
