import type { Ctx } from '#kernel/context.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { type License, licenseView, mergeCustomers, timelineOf } from '../licenses/index.ts';
import type { TimelineEvent } from '../licenses/view.ts';
import { type Holder, licensesOf, machinesOf } from './queries.ts';
import { type CustomerData, holderView, machineData } from './view.ts';

/** A customer by id or address, with the licenses. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, idOrEmail: string): Promise<Holder> =>
  withLicenses(ctx, await customers.get(ctx, idOrEmail));

/** A customer with the licenses that the actor sees. */
export const withLicenses = async (ctx: Ctx, customer: customers.Customer): Promise<Holder> => ({
  ...customer,
  licenses: (await licensesOf(ctx, [customer.id])).get(customer.id) ?? [],
});

/**
 * Gives all licenses of one customer to another and removes the first (licensing 4.2).
 *
 * @returns the customer that stays, and how many licenses came
 * @throws as mergeCustomers
 */
export const merge = (ctx: Ctx, from: string, into: string): Promise<{ holder: Holder; moved: number }> =>
  ctx.tx(async (ctx) => {
    const { customer, licenses } = await mergeCustomers(ctx, from, into);
    return { holder: await withLicenses(ctx, customer), moved: licenses };
  });

/** Everything that is stored about a customer, as it is handed to who asks for it. @throws AppError NOT_FOUND */
export async function dataOf(ctx: Ctx, idOrEmail: string): Promise<CustomerData> {
  const holder = await get(ctx, idOrEmail);
  const { licenses: _, ...customer } = holderView(holder, ctx);
  const trashed = (await licensesOf(ctx, [holder.id], { deleted: true })).get(holder.id) ?? [];
  const licenses: CustomerData['licenses'] = [];
  for (const license of [...holder.licenses, ...trashed]) licenses.push(await licenseData(ctx, license));
  return { customer, licenses };
}

async function licenseData(ctx: Ctx, license: License): Promise<CustomerData['licenses'][number]> {
  const { key: _, activations: __, ...shown } = licenseView(ctx, license);
  const machines = (await machinesOf(ctx, license.id)).map(machineData);
  return { ...shown, machines, events: await eventsOf(ctx, license.id) };
}

const EVENTS_AT_ONCE = 500;

async function eventsOf(ctx: Ctx, licenseId: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  for (;;) {
    const page = { offset: events.length, limit: EVENTS_AT_ONCE };
    const { items } = await timelineOf(ctx, licenseId, page);
    events.push(...items);
    if (items.length < EVENTS_AT_ONCE) return events.reverse();
  }
}
