import type { Ctx } from './context.ts';

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
