import type { Ctx } from '#kernel/context.ts';

/**
 * A ctx whose first transaction that ends well has claimed something as its first statement; what is done outside of
 * transactions, such as a look-up or the hash of a password, stays there (C10).
 *
 * @param claim called inside of the transaction; what it throws rolls it back
 * @param claimed told after the commit
 */
export function claiming(ctx: Ctx, claim: (ctx: Ctx) => Promise<void>, claimed: () => void): Ctx {
  let isDone = false;
  const tx = async <T>(real: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> => {
    if (isDone) return real.tx(work);
    const result = await real.tx(async (ctx) => {
      await claim(ctx);
      return work(ctx);
    });
    isDone = true;
    claimed();
    return result;
  };
  const over = (ctx: Ctx): Ctx =>
    new Proxy(ctx, {
      get(real, name) {
        if (name === 'tx') return <T>(work: (ctx: Ctx) => Promise<T>) => tx(real, work);
        if (name === 'with') return (...change: Parameters<Ctx['with']>) => over(real.with(...change));
        const value: unknown = Reflect.get(real, name, real);
        return typeof value === 'function' ? value.bind(real) : value;
      },
    });
  return over(ctx);
}
