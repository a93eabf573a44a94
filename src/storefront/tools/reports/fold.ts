import type { Ctx } from '#kernel/context.ts';
import { isStopping } from '#kernel/jobs/stopping.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { factsOf } from './facts/facts.ts';
import { countPlaced, nextPlaced, type Place, readOrders } from './facts/queries.ts';
import { difference, type Fact } from './measures.ts';
import type { Counted, ReportState } from './record.ts';
import * as repo from './repository.ts';

/** Orders of one transaction: on SQLite whoever orders waits for it. */
const AT_ONCE = 100;
/** The rest waits for the next run, so that other jobs get their turn. */
const MOST_STEPS = 1000;

/** What the tables lack to hold some orders as they are now. */
export interface Delta {
  readonly facts: readonly Fact[];
  readonly counted: readonly Counted[];
}

/** Reads some orders and what the tables hold of them. */
export async function deltaOf(
  ctx: Ctx,
  orderIds: readonly string[],
  { zone, round }: Pick<ReportState, 'zone' | 'round'>,
): Promise<Delta> {
  if (orderIds.length === 0) return { facts: [], counted: [] };
  const before = await repo.countedOf(ctx, orderIds);
  const known = new Map(before.map(({ orderId, isNew }) => [orderId, isNew]));
  const orders = await readOrders(ctx, orderIds, known);
  const counted = orders.map((order) => ({
    orderId: order.id,
    round,
    isNew: order.isNew,
    facts: factsOf(order, zone),
  }));
  return {
    facts: difference(
      before.flatMap((one) => (one.round === round ? one.facts : [])),
      counted.flatMap(({ facts }) => facts),
    ),
    counted,
  };
}

async function apply(ctx: Ctx, { facts, counted }: Delta): Promise<void> {
  await repo.addFacts(ctx, facts);
  await repo.putCounted(ctx, counted);
}

/**
 * Counts what has changed, and goes on counting all orders again where that is to be done: in steps of some orders, each a
 * transaction that holds the state of the tables, so that processes that do it at once take turns. A step that is lost is
 * done again: what was counted of an order is replaced, never added to.
 */
export async function countChanges(ctx: Ctx): Promise<{ orders: number; again: number }> {
  const done = { orders: 0, again: 0 };
  await begin(ctx, false);
  for (let step = 0; step < MOST_STEPS && !isStopping(ctx); step++) {
    const changed = await ctx.tx(countStep);
    const again = await ctx.tx(againStep);
    done.orders += changed;
    done.again += again;
    if (changed + again === 0) break;
  }
  return done;
}

/** @returns how many orders it counted */
async function countStep(ctx: Ctx): Promise<number> {
  const state = await repo.lockState(ctx);
  const changes = await repo.listChanges(ctx, AT_ONCE);
  if (changes.length === 0) return 0;
  const orderIds = [...new Set(changes.map(({ orderId }) => orderId))];
  await apply(ctx, await deltaOf(ctx, orderIds, state));
  await repo.deleteChanges(
    ctx,
    changes.map(({ id }) => id),
  );
  await repo.putState(ctx, state);
  return orderIds.length;
}

const START: Place = { placedAt: '', id: '' };

/**
 * Has all orders counted again, from empty tables, where nothing was counted yet, or in the days of another time zone.
 *
 * @param isAsked also where nothing calls for it
 * @returns the state of the tables
 */
export const begin = (ctx: Ctx, isAsked: boolean): Promise<ReportState> =>
  ctx.tx(async (ctx) => {
    const state = await repo.lockState(ctx);
    const zone = ctx.settings.get(timezone);
    if (!isAsked && state.zone === zone) return state;
    await repo.emptyTables(ctx);
    const next: ReportState = {
      ...state,
      zone,
      round: state.round + 1,
      afterPlacedAt: START.placedAt,
      afterId: START.id,
      done: 0,
      total: await countPlaced(ctx),
      startedAt: ctx.now(),
    };
    await repo.putState(ctx, next);
    return next;
  });

/** Counts some more orders again. @returns how many; 0 when all are done */
export async function againStep(ctx: Ctx): Promise<number> {
  const state = await repo.lockState(ctx);
  const { afterPlacedAt, afterId, done, total } = state;
  if (afterPlacedAt === null || afterId === null) return 0;
  const places = await nextPlaced(ctx, { placedAt: afterPlacedAt, id: afterId }, AT_ONCE);
  const last = places.at(-1);
  if (last === undefined) {
    await repo.deleteCountedBefore(ctx, state.round);
    await repo.putState(ctx, { ...state, afterPlacedAt: null, afterId: null, total: done });
    return 0;
  }
  await apply(
    ctx,
    await deltaOf(
      ctx,
      places.map(({ id }) => id),
      state,
    ),
  );
  const counted = done + places.length;
  await repo.putState(ctx, {
    ...state,
    afterPlacedAt: last.placedAt,
    afterId: last.id,
    done: counted,
    total: Math.max(total, counted),
  });
  return places.length;
}

/** Steps of one answer: a few seconds, so that whoever waits sees how far it is. */
const STEPS_AT_ONCE = 20;

/**
 * Counts all orders again, some at a call: whoever wants all of it calls until `done` is true. The job goes on where
 * nobody does.
 *
 * @param restart from the first order; false goes on where it is
 */
export async function rebuild(
  ctx: Ctx,
  restart: boolean,
): Promise<{ orders: number; total: number; done: boolean }> {
  await begin(ctx, restart);
  let counted = 1;
  for (let step = 0; step < STEPS_AT_ONCE && counted > 0 && !isStopping(ctx); step++)
    counted = await ctx.tx(againStep);
  const state = await repo.findState(ctx);
  return {
    orders: state?.done ?? 0,
    total: state?.total ?? 0,
    done: (state?.afterPlacedAt ?? null) === null,
  };
}
