// A ctx whose database is away: it refuses, or it hangs.
import type { Ctx } from '#kernel/context.ts';

/**
 * @param refusal what every question to the database comes to: an error, or `hangs` for no answer at all
 * @returns the same ctx in all else; what `with` makes of it is away likewise
 */
export function awayCtx(ctx: Ctx, refusal: Error | 'hangs' = refused()): Ctx {
  const answer = () => (refusal === 'hangs' ? new Promise<never>(() => undefined) : Promise.reject(refusal));
  const db = { ...ctx.db, dialect: ctx.db.dialect, first: answer, all: answer, run: answer } as Ctx['db'];
  const own: Partial<Ctx> = { db, tx: answer, with: (change) => awayCtx(ctx.with(change), refusal) };
  return new Proxy(ctx, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof Ctx];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
