import { nearest } from '#kernel/edit-distance.ts';
import { AppError } from '#kernel/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Desk } from './desk.ts';

/** Lists whose items are named by what somebody types, with the field that holds the name. */
const LISTS = {
  product: [
    'products',
    'slug',
    async () => (await import('#licensing/catalog/products/resource.ts')).productResource,
  ],
  policy: [
    'policies',
    'name',
    async () => (await import('#licensing/insight/policies/resource.ts')).policyResource,
  ],
} as const;

const MISSING = /^(product|policy) (\S+) was not found$/;

/**
 * The same refusal with the name that was meant, where a name is mistyped.
 *
 * @param open the desk for the operations that it is given
 */
export async function withNearName(
  error: unknown,
  open: (twins: readonly Endpoint[]) => Desk | Promise<Desk>,
): Promise<unknown> {
  const [, kind, typed] = (error instanceof AppError && MISSING.exec(error.message)) || [];
  if (!(error instanceof AppError) || typed === undefined || (kind !== 'product' && kind !== 'policy'))
    return error;
  const [list, field, load] = LISTS[kind];
  const names = await namesOf(await open((await load()).endpoints('license-admin')), list, field);
  const meant = nearest(typed, names);
  if (meant === undefined) return error;
  const hint = `did you mean ${meant}? appctl ${kind} list shows all`;
  return new AppError(error.code, error.status, error.message, { details: { ...error.details, hint } });
}

/** Nothing where the list cannot be read: the refusal is told as it came. */
async function namesOf(desk: Desk, list: string, field: string): Promise<string[]> {
  try {
    const { items } = await desk.get<{ items: Record<string, string>[] }>(list, { limit: 500 });
    return items.map((item) => String(item[field]));
  } catch {
    return [];
  }
}
