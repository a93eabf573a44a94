/** Values that options offer, as they are typed; a test holds them equal to the service's own. */
import type { Integration, ProductMapping } from '#licensing/purchases/integrations/index.ts';

/** `card-a` and `payments-b` are what the specification calls the first two. */
export const processors = {
  stripe: 'STRIPE',
  square: 'SQUARE',
  generic: 'GENERIC',
  'card-a': 'STRIPE',
  'payments-b': 'SQUARE',
} as const satisfies Record<string, Integration['processor']>;

export const mappedTypes = [
  'PERPETUAL',
  'SUBSCRIPTION',
  'TRIAL',
  'BETA',
] as const satisfies readonly ProductMapping['licenseType'][];

export const quantityModes = {
  licenses: 'LICENSES',
  seats: 'SEATS',
} as const satisfies Record<string, ProductMapping['quantityMode']>;

export const refundActions = {
  none: 'NONE',
  suspend: 'SUSPEND',
  revoke: 'REVOKE',
} as const satisfies Record<string, ProductMapping['onRefund']>;

export const eventStatuses = ['RECEIVED', 'PROCESSED', 'IGNORED', 'FAILED'] as const;
