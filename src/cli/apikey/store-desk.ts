import type { z } from 'zod';
import type { ApiKeyDetails } from '#platform/api-keys/view.ts';
import type { StoreKeyView } from '#storefront/tools/api-keys/view.ts';
import type { ChangeOptions, Desk, Query } from '../desk/desk.ts';
import { usageError } from '../frame/errors.ts';
import { pageAt } from '../store/twin.ts';

type StoreKey = z.output<typeof StoreKeyView>;
interface Told<T> {
  readonly data: T;
}
type Fields = Readonly<Record<string, unknown>>;

/** Operations of the shop that commands about API keys call. */
export const storeKeyTwins = async () =>
  (await import('#storefront/tools/api-keys/resource.ts')).storeKeyResource.endpoints('store');

const keyOf = (key: StoreKey): z.output<typeof ApiKeyDetails> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  service: 'store',
  scope: null,
  scopes: key.scopes,
  productIds: null,
  ipAllowlist: key.ip_allowlist,
  allowedOrigins: key.allowed_origins,
  limits: null,
  expiresAt: key.expires_at,
  previousUntil: key.previous_until,
  lastUsedAt: key.last_used_at,
  revokedAt: key.revoked_at,
  createdAt: key.created_at,
  updatedAt: key.updated_at,
  // The shop counts neither of them by key.
  calls24h: 0,
  refusals: [],
});

const NAMES: Readonly<Record<string, string>> = {
  ipAllowlist: 'ip_allowlist',
  allowedOrigins: 'allowed_origins',
  expiresAt: 'expires_at',
  overlapSeconds: 'overlap_seconds',
};

/** @throws usage error (2) for what only a key of the license API can be bound to */
function sent({ productIds, limits, ...fields }: Fields): Fields {
  const foreign = productIds ? 'product' : limits ? 'limit' : undefined;
  if (foreign !== undefined)
    throw usageError(`--${foreign}: only license API keys have that; leave it out for the shop`);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [NAMES[name] ?? name, value]));
}

const secretOf = (options: ChangeOptions = {}): ChangeOptions =>
  options.secret ? { ...options, secret: { ...options.secret, name: 'key' } } : options;

/** The desk of the shop as commands about API keys know the one of the license service. */
export const asLicenseKeys = (desk: Desk): Desk => ({
  ...desk,
  get: async <T>(path: string, query: Query = {}) => {
    if (path !== 'api-keys') return { apiKey: keyOf((await desk.get<Told<StoreKey>>(path)).data) } as T;
    const { page, limit } = query;
    const paging = { page: Number(page ?? 1), limit: Number(limit ?? 20) };
    const { items, pagination } = await pageAt<StoreKey>(desk, path, paging);
    return { items: items.map(keyOf), pagination } as T;
  },
  post: async <T>(path: string, body: object = {}, options?: ChangeOptions) => {
    const answer = await desk.post<Told<StoreKey & { key?: string }>>(
      path,
      sent(body as Fields),
      secretOf(options),
    );
    return { apiKey: keyOf(answer.data), rawKey: answer.data.key } as T;
  },
  patch: async <T>(path: string, body: object, options?: ChangeOptions) =>
    ({ apiKey: keyOf((await desk.patch<Told<StoreKey>>(path, sent(body as Fields), options)).data) }) as T,
});
