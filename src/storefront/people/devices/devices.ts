import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import type { Device } from '#kernel/http/visitor.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as repo from './repository.ts';

/** More browsers than anybody has. */
export const MOST_DEVICES = 50;
const AGENT = 300;

/** What a sign-in says of the browser it came from. */
export type Recognised =
  | { readonly isNew: false }
  /** `isFirst`: the customer signs in for the first time ever, which is news to nobody. */
  | { readonly isNew: true; readonly isFirst: boolean; readonly id: string };

/**
 * Whether a customer has signed in in a browser before; from now on it has. A browser that is new to the customer gets
 * another name: one that somebody else put there is worth nothing then.
 *
 * @param ctx of the transaction that tells the customer
 */
export async function recognise(ctx: Ctx, customerId: string, device: Device): Promise<Recognised> {
  const before = device.name === null ? null : sha256Hex(device.name);
  if (before !== null && (await repo.touch(ctx, customerId, before))) return { isNew: false };
  const tokenHash = sha256Hex(device.rename());
  if (before !== null) await repo.rename(ctx, before, tokenHash);
  const isFirst = (await repo.countOf(ctx, customerId)) === 0;
  const now = ctx.now();
  const id = ctx.newId(ids.customerDevice);
  const userAgent = ctx.origin.userAgent?.slice(0, AGENT) ?? null;
  await repo.insert(ctx, { id, customerId, userAgent, createdAt: now, updatedAt: now }, tokenHash);
  await repo.removeBeyond(ctx, customerId, MOST_DEVICES);
  return { isNew: true, isFirst, id };
}

/** Forgets the browsers of a customer: somebody else had the account before, or has it now. */
export const forgetDevices = repo.removeOf;
