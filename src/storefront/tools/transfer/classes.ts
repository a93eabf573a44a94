import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { shippingClassNames } from '#storefront/pricing/shipping/index.ts';
import { taxClassCodes } from '#storefront/pricing/tax/index.ts';

/** How files name classes: those of tax by their codes, those of shipping by their names. By id. */
export interface Classes {
  readonly tax: ReadonlyMap<string, string>;
  readonly shipping: ReadonlyMap<string, string>;
}

/** All classes of the shop: there are few. */
export const classesOf = async (ctx: Ctx): Promise<Classes> => ({
  tax: await taxClassCodes(ctx),
  shipping: await shippingClassNames(ctx),
});

/**
 * The id of a class that a file names.
 *
 * @returns null and undefined as they are
 * @throws AppError VALIDATION_ERROR for one that does not exist: what costs something is not left out
 */
export function classNamed<T extends string | null | undefined>(
  classes: Classes,
  kind: keyof Classes,
  named: T,
  path: string,
): string | Exclude<T, string> {
  if (named === null || named === undefined) return named as Exclude<T, string>;
  const [id] = [...classes[kind]].find(([, name]) => name === named) ?? [];
  if (id === undefined) throw invalidField(path, `${kind} class ${named} does not exist; create it first`);
  return id;
}
