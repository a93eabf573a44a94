/**
 * Values that options offer. Help and completion must not wait for the license service to be loaded, so the lists
 * stand here once more; a test holds them equal to the service's own.
 */

import type { StoredKeyFormat } from '#licensing/catalog/key-formats/index.ts';
import type { Policy } from '#licensing/catalog/policies/index.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import type { License } from '#licensing/licenses/licenses/index.ts';
import type { Release } from '#licensing/releases/releases/index.ts';
import type { Role } from '#platform/permissions/index.ts';
import type { Tenant } from '#platform/tenants/index.ts';

export const licenseStatuses = [
  'ACTIVE',
  'EXPIRED',
  'SUSPENDED',
  'REVOKED',
] as const satisfies readonly License['storedStatus'][];
export const licenseTypes = [
  'PERPETUAL',
  'SUBSCRIPTION',
  'TRIAL',
  'BETA',
  'FLOATING',
] as const satisfies readonly License['type'][];
export const licenseTiers = [
  'PERSONAL',
  'PROFESSIONAL',
  'BUSINESS',
  'ENTERPRISE',
] as const satisfies readonly License['tier'][];
export const productTypes = [
  'DESKTOP',
  'WEB',
  'MOBILE',
  'PLUGIN',
  'API',
] as const satisfies readonly Product['type'][];
export const productStatuses = [
  'ACTIVE',
  'DEPRECATED',
  'DISCONTINUED',
] as const satisfies readonly Product['status'][];
export const licensingModes = [
  'STANDARD',
  'HONOR_SYSTEM',
] as const satisfies readonly Product['licensingMode'][];
export const cullStrategies = [
  'DEACTIVATE_DEAD',
  'SUSPEND_LICENSE',
  'NO_ACTION',
] as const satisfies readonly Policy['heartbeatCullStrategy'][];
export const trialReuseRules = ['ALLOW', 'FLAG', 'BLOCK'] as const satisfies readonly Policy['trialReuse'][];
export const abuseActions = ['NONE', 'SUSPEND'] as const satisfies readonly Policy['abuseAction'][];
export const keyAlphabets = [
  'CROCKFORD32',
  'HEX',
  'ALNUM36',
] as const satisfies readonly StoredKeyFormat['alphabet'][];
export const keyChecksums = ['NONE', 'LUHN'] as const satisfies readonly StoredKeyFormat['checksum'][];
export const tenantStatuses = ['ACTIVE', 'SUSPENDED'] as const satisfies readonly Tenant['status'][];
export const adminRoles = [
  'owner',
  'manager',
  'fulfilment',
  'support',
  'catalogue',
  'marketing',
  'accountant',
  'licensing',
  'viewer',
  'vendor',
] as const satisfies readonly Role[];
export const licenseScopes = ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'] as const;
export const storeScopes = [
  'products:read',
  'products:write',
  'orders:read',
  'orders:write',
  'customers:read',
  'customers:write',
  'inventory:read',
  'inventory:write',
  'settings:read',
  'settings:write',
] as const;
/** Of orders and promotions of the shop. */
export const orderStatuses = [
  'draft',
  'pending',
  'processing',
  'on_hold',
  'shipped',
  'completed',
  'cancelled',
] as const;
export const paymentStatuses = [
  'unpaid',
  'pending',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'failed',
  'voided',
] as const;
export const returnStatuses = [
  'requested',
  'approved',
  'in_transit',
  'received',
  'completed',
  'rejected',
  'cancelled',
  'expired',
] as const;
export const returnConditions = ['new', 'opened', 'damaged'] as const;
export const refundWays = ['original', 'gift_card', 'offline'] as const;
export const promotionStatuses = ['draft', 'active', 'paused', 'archived'] as const;
/** Of reports of the shop. */
export const reportGroups = ['day', 'week', 'month'] as const;
/** Of products of the shop; those above are of products that are licensed. */
export const shopProductStatuses = ['draft', 'active', 'archived'] as const;
export const shopProductTypes = [
  'physical',
  'digital',
  'license',
  'gift_card',
  'subscription',
  'merch',
] as const;
/** Of licenses that variants of the shop are sold with. */
export const grantQuantityModes = ['one_per_unit', 'seats'] as const;
export const refundEffects = ['revoke', 'suspend', 'keep'] as const;
export const grantEndEffects = ['expire', 'suspend'] as const;
export const stockReasons = ['received', 'correction', 'damaged', 'returned', 'count'] as const;
export const releaseChannels = [
  'stable',
  'beta',
  'alpha',
  'rc',
  'nightly',
] as const satisfies readonly Release['channel'][];
export const releaseStates = [
  'DRAFT',
  'PUBLISHED',
  'YANKED',
  'ARCHIVED',
] as const satisfies readonly Release['state'][];
export const releasePlatforms = ['windows', 'darwin', 'linux', 'android', 'ios', 'web'] as const;
export const releaseArchitectures = ['x64', 'arm64', 'ia32', 'armv7', 'universal'] as const;
