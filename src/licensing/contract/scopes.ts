import type { Permission } from '#platform/permissions/index.ts';
import type { ApiKeyScope } from './enumerations.ts';

/**
 * What an endpoint asks of an API key. VALIDATE_ONLY < CREATE_LICENSE < FULL_ADMIN; READ_ONLY stands apart and
 * opens `check` and `products` only (D18, D19), so these two ask for a name of their own.
 */
export const accesses = {
  /** activate, deactivate, heartbeat, checkout, checkin, record-usage, offline-token */
  VALIDATE_ONLY: { scopes: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'FULL_ADMIN'], least: 'VALIDATE_ONLY' },
  /** validate, validate-entitlement: READ_ONLY may when `licensing.read_only_may_validate` is on (D18) */
  VALIDATE: {
    scopes: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'FULL_ADMIN'],
    least: 'VALIDATE_ONLY',
    readOnlyBySetting: true,
  },
  /** check/{key} */
  CHECK: { scopes: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'], least: 'VALIDATE_ONLY' },
  /** products */
  PRODUCTS: { scopes: ['CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'], least: 'READ_ONLY' },
  /** create, create-bulk, by-order, revoke, renew */
  CREATE_LICENSE: { scopes: ['CREATE_LICENSE', 'FULL_ADMIN'], least: 'CREATE_LICENSE' },
} as const satisfies Record<
  string,
  { scopes: readonly ApiKeyScope[]; least: ApiKeyScope; readOnlyBySetting?: boolean }
>;

/** What a key of each scope opens is given away with its secret: whoever hands one out must hold it (admin.md 6.1). */
export const scopePermissions = {
  VALIDATE_ONLY: [],
  READ_ONLY: ['licensing:read'],
  CREATE_LICENSE: ['licensing:write'],
  FULL_ADMIN: ['licensing:write'],
} as const satisfies Record<ApiKeyScope, readonly Permission[]>;

/** What an endpoint may ask for. */
export type Access = keyof typeof accesses;

/**
 * Whether an API key of this scope may use an endpoint (spec Authentication, D18, D19).
 *
 * @param scope scope of the key
 * @param needed what the endpoint asks for
 * @param readOnlyMayValidate setting `licensing.read_only_may_validate`
 */
export function scopeAllows(scope: ApiKeyScope, needed: Access, readOnlyMayValidate = false): boolean {
  const access: { scopes: readonly ApiKeyScope[]; readOnlyBySetting?: boolean } = accesses[needed];
  if (access.scopes.includes(scope)) return true;
  return scope === 'READ_ONLY' && readOnlyMayValidate && access.readOnlyBySetting === true;
}
