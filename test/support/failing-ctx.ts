// A ctx whose transactions fail when a test says so: what a use case does while the database refuses.
import type { Ctx } from '#kernel/context.ts';

/**
 * @param failure of the transaction of this number, counted from 1; null lets it be
 * @returns the same ctx in all else; what `with` makes of it fails likewise
 */
export function failingCtx(ctx: Ctx, failure: (number: number) => Error | null): Ctx {
  let number = 0;
  const failing = (inner: Ctx): Ctx => {
    const tx: Ctx['tx'] = (work) => {
      number += 1;
      const error = failure(number);
      return error ? Promise.reject(error) : inner.tx(work);
    };
    const own: Partial<Ctx> = { tx, with: (change) => failing(inner.with(change)) };
    return new Proxy(inner, {
      get(target, name) {
        if (Object.hasOwn(own, name)) return own[name as keyof Ctx];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return failing(ctx);
}
