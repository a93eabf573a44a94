import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import {
  forgetRow,
  isNeeded,
  type OfPerson,
  type Person,
  recordsOfPersons,
  rowsOf,
  shownToPerson,
} from '#kernel/db/person-rows.ts';
import { fail } from '#kernel/service/errors.ts';
import * as customers from '../customers/index.ts';
import { privacyEvents } from './events.ts';
import * as repo from './repository.ts';

/** What is locked first and last (storefront-domain 8): a checkout takes orders before customers. */
const ORDER = {
  first: ['orders', 'carts', 'payments', 'promotion_redemptions', 'gift_cards'],
  last: ['customers', 'customer_consents'],
} as const;

type Row = Record<string, unknown>;

/** Shows every row about a person, each table after those it refers to. @param visit answers what is followed further */
async function walk(
  ctx: Ctx,
  person: Person,
  visit: (found: OfPerson, row: Row) => Promise<boolean>,
): Promise<void> {
  const ids = new Map(person.ids);
  for (const found of await recordsOfPersons(ctx, ORDER)) {
    const followed: string[] = [];
    for (const row of await rowsOf(ctx, found, { ...person, ids }))
      if (await visit(found, row)) followed.push(String(row.id));
    const { table } = found.record;
    ids.set(table, [...(ids.get(table) ?? []), ...followed]);
  }
}

/**
 * What is found of a customer: by id, by the guest of the same address once it is proved to be theirs, and by the address
 * itself unless somebody else has it now.
 */
async function personOf(ctx: Ctx, one: customers.Customer): Promise<Person> {
  const same = await customers.sharingAddress(ctx, one);
  const isTheirs = one.status !== 'anonymised' && (one.isGuest ? same.length === 0 : customers.isProved(one));
  const all = isTheirs ? [one, ...same] : [one];
  return {
    ids: new Map([['customers', all.map(({ id }) => id)]]),
    emails: isTheirs ? [...new Set([customers.emailNormed(one.email), one.email])] : [],
  };
}

async function known(ctx: Ctx, id: string): Promise<customers.Customer> {
  const one = await customers.find(ctx, id);
  if (!one) throw fail('NOT_FOUND', `customer ${id} does not exist`);
  return one;
}

/** What an erasure came to. */
export interface Erased {
  readonly customerId: string;
  /** Orders that are still on their way: their addresses go once they have ended. */
  readonly openOrders: number;
  /** Likewise what open returns of other orders need. */
  readonly openReturns: number;
}

/** What somebody still works on, by its table. */
type Open = Readonly<Record<'orders' | 'returns' | 'others', number>>;

/** Orders and returns of a customer that have not ended: an erasure waits with what they need. @throws AppError NOT_FOUND */
export async function openBusiness(ctx: Ctx, id: string): Promise<Open> {
  const open = { orders: 0, returns: 0, others: 0 };
  await walk(ctx, await personOf(ctx, await known(ctx, id)), async (found, row) => {
    if (isNeeded(found, row)) open[kindOf(found)] += 1;
    return true;
  });
  return open;
}

const kindOf = ({ record: { table } }: OfPerson): keyof Open =>
  table === 'orders' || table === 'returns' ? table : 'others';

/**
 * Erases who a customer or a guest is (storefront-domain section 12): name, addresses, phone, birthday; tokens, saved things and
 * sessions go. Orders, invoices' numbers and amounts stay. What orders on their way still need goes once they have ended.
 * Again: unchanged.
 *
 * @throws AppError NOT_FOUND
 */
export async function eraseCustomer(ctx: Ctx, id: string): Promise<Erased> {
  const { forgetPerson } = await import('#platform/audit/index.ts');
  return ctx.tx(async (ctx) => {
    const before = await known(ctx, id);
    const person = await personOf(ctx, before);
    const { orders: openOrders, returns: openReturns } = await forget(ctx, person);
    if (before.status === 'anonymised') return { customerId: id, openOrders, openReturns };
    const now = ctx.now();
    const { kind } = ctx.actor;
    const askedBy =
      kind === 'customer' ? 'customer' : kind === 'system' || kind === 'job' ? 'system' : 'staff';
    for (const customerId of person.ids.get('customers') ?? []) {
      await repo.insertNew(ctx, { customerId, askedBy, finishedAt: null, createdAt: now, updatedAt: now });
      await forgetPerson(ctx, customerId);
    }
    await privacyEvents.tell(ctx, 'customer.erased', id, { open_orders: openOrders });
    return { customerId: id, openOrders, openReturns };
  });
}

/** Forgets what is not needed any more. @returns how much still is */
async function forget(ctx: Ctx, person: Person): Promise<Open> {
  const open = { orders: 0, returns: 0, others: 0 };
  await walk(ctx, person, async (found, row) => {
    const { table } = found.record;
    if (isNeeded(found, row)) {
      open[kindOf(found)] += 1;
      return false;
    }
    if (table === 'customers') await customers.anonymise(ctx, String(row.id));
    else await forgetRow(ctx, found, row);
    return true;
  });
  return open;
}

/** So long after an erasure something may have been written that had begun before it. */
const SETTLED_SECONDS = 3600;
const AT_ONCE = 100;

/** Forgets of erased customers what was still needed, and what was written at the moment of their erasure. */
export async function finishErasures(ctx: Ctx): Promise<{ finished: number; waiting: number }> {
  const counts = { finished: 0, waiting: 0 };
  const before = addSeconds(ctx.now(), -SETTLED_SECONDS);
  for (let after = ''; ; ) {
    const some = await repo.unfinished(ctx, before, after, AT_ONCE);
    for (const { customerId } of some) {
      const isFinished = await ctx.tx((ctx) => finishOne(ctx, customerId));
      counts[isFinished ? 'finished' : 'waiting'] += 1;
    }
    if (some.length < AT_ONCE) return counts;
    after = some.at(-1)?.customerId ?? after;
  }
}

async function finishOne(ctx: Ctx, customerId: string): Promise<boolean> {
  const person: Person = { ids: new Map([['customers', [customerId]]]), emails: [] };
  const open = await forget(ctx, person);
  if (open.orders + open.returns + open.others > 0) return false;
  await repo.finish(ctx, customerId);
  return true;
}

/** Everything that is stored of a person, by table. */
export interface CustomerExport {
  readonly exported_at: string;
  readonly customer_id: string;
  readonly data: Readonly<Record<string, readonly Row[]>>;
}

/**
 * Everything that is stored of a customer or a guest, without secrets.
 *
 * @throws AppError NOT_FOUND
 */
export async function exportCustomer(ctx: Ctx, id: string): Promise<CustomerExport> {
  const person = await personOf(ctx, await known(ctx, id));
  const data: Record<string, Row[]> = {};
  await walk(ctx, person, async ({ record, whose }, row) => {
    if (whose.shown?.(row) !== false) (data[record.table] ??= []).push(shownToPerson(record, row));
    return true;
  });
  await ctx.tx((ctx) => privacyEvents.tell(ctx, 'customer.exported', id, {}));
  return { exported_at: ctx.now(), customer_id: id, data };
}
