// A ctx in which somebody else does something between two questions to the database.
import type { Ctx } from '#kernel/context.ts';

/**
 * @param isBefore whether what happens comes before the question with this SQL; it happens once
 * @param happen what happens
 * @returns the same ctx in all else; transactions are not interrupted
 */
export function interruptedCtx(
  ctx: Ctx,
  isBefore: (sql: string) => boolean,
  happen: () => Promise<unknown>,
): Ctx {
  let isDone = false;
  const all: Ctx['db']['all'] = async (statement, values) => {
    if (!isDone && isBefore(statement.sql)) {
      isDone = true;
      await happen();
    }
    return ctx.db.all(statement, values);
  };
  return withOwn(ctx, { db: withOwn(ctx.db, { all }) });
}

const withOwn = <T extends object>(target: T, own: Partial<T>): T =>
  new Proxy(target, {
    get(inner, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof T];
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === 'function' ? value.bind(inner) : value;
    },
  });
