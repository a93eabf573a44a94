import type { Ctx, DomainEvent } from './context.ts';

/** Carries the result of a rehearsal out of the transaction that it rolls back. */
class Rehearsed extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('a rehearsal ended');
    this.name = 'Rehearsed';
    this.result = result;
  }
}

/** Runs a use case in a transaction that is rolled back. @throws what the use case throws */
export async function rehearse<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  try {
    return await ctx.tx(async (ctx): Promise<T> => {
      throw new Rehearsed(await work(ctx));
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
}

/**
 * A ctx whose transactions are rolled back one by one, each with its result. For a use case of one transaction: what it
 * does before it, such as reading a bundle, stays outside (C10) and holds up no other writer; what it does after the
 * commit is left undone.
 */
export function rehearsing(ctx: Ctx): Ctx {
  const rehearsal = new Proxy(ctx, {
    get(real, name) {
      if (name === 'tx') return <T>(work: (ctx: Ctx) => Promise<T>) => rehearse(real, work);
      if (name === 'announce') return (event: DomainEvent) => rehearse(real, (ctx) => ctx.announce(event));
      if (name === 'with') return (...change: Parameters<Ctx['with']>) => rehearsing(real.with(...change));
      const value: unknown = Reflect.get(real, name, real);
      return typeof value === 'function' ? value.bind(real) : value;
    },
  });
  rehearsals.add(rehearsal);
  return rehearsal;
}

const rehearsals = new WeakSet<Ctx>();

/**
 * Whether a use case is rehearsed: one that works in several transactions, each on what the one before it left, then
 * makes the first alone.
 *
 * @param ctx outside of its transactions
 */
export const isRehearsal = (ctx: Ctx): boolean => rehearsals.has(ctx);

/** Runs a use case of several transactions, of which a later one needs what an earlier one left: a rehearsal makes them one. */
export const wholeInRehearsal = <T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  isRehearsal(ctx) ? ctx.tx(work) : work(ctx);
