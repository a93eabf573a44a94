import type { ForeignField } from './columns.ts';
import { normalName } from './columns.ts';

/** Where licenses may come from, beside an export of this program. */
export const FOREIGN_SOURCES = ['keygen', 'lemonsqueezy', 'cryptlex', 'csv'] as const;
export type ForeignSource = (typeof FOREIGN_SOURCES)[number];

/** What becomes of a column that no field takes. */
type Rest = 'ignore' | 'ids' | 'metadata';

/** One source of the table in licensing 6.11: its columns by the fields that they fill. */
interface SourceColumns {
  readonly columns: Readonly<Partial<Record<ForeignField | 'firstName' | 'lastName', readonly string[]>>>;
  /** Columns that say more than one field, each read by `derive.ts`. */
  readonly signals: readonly string[];
  readonly rest: Rest;
}

export const SOURCES: Readonly<Record<ForeignSource, SourceColumns>> = {
  keygen: {
    columns: {
      key: ['key'],
      customerEmail: ['user.email', 'owner.email', 'email', 'metadata.email'],
      customerName: ['user.fullName', 'owner.fullName', 'fullName'],
      firstName: ['user.firstName', 'owner.firstName', 'firstName'],
      lastName: ['user.lastName', 'owner.lastName', 'lastName'],
      maxActivations: ['maxMachines'],
      validUntil: ['expiry'],
      maxUses: ['maxUses'],
      currentUses: ['uses'],
      orderId: ['metadata.orderId'],
      metadata: ['metadata'],
      createdAt: ['created'],
      activations: ['machines', 'fingerprints'],
    },
    signals: ['suspended', 'status'],
    rest: 'ignore',
  },
  lemonsqueezy: {
    columns: {
      key: ['key', 'license_key'],
      customerEmail: ['user_email'],
      customerName: ['user_name'],
      maxActivations: ['activation_limit'],
      validUntil: ['expires_at'],
      orderId: ['order_id'],
      createdAt: ['created_at'],
      activations: ['instances', 'license_key_instances'],
    },
    signals: ['disabled', 'status'],
    rest: 'ids',
  },
  cryptlex: {
    columns: {
      key: ['key'],
      customerEmail: ['email', 'user.email'],
      firstName: ['firstName', 'user.firstName'],
      lastName: ['lastName', 'user.lastName'],
      maxActivations: ['allowedActivations'],
      validUntil: ['expiresAt'],
      orderId: ['order_id'],
      createdAt: ['createdAt'],
      activations: ['activations', 'fingerprints'],
    },
    signals: ['suspended', 'revoked', 'type', 'allowedFloatingClients', 'subscriptionInterval', 'validity'],
    rest: 'metadata',
  },
  csv: {
    columns: {
      key: ['key', 'licenseKey', 'license'],
      customerEmail: ['customerEmail', 'email'],
      customerName: ['customerName', 'name'],
      product: ['product', 'productId', 'productSlug'],
      type: ['type', 'licenseType'],
      tier: ['tier'],
      status: ['status'],
      maxActivations: ['maxActivations', 'seats'],
      validUntil: ['validUntil', 'expiresAt'],
      maxUses: ['maxUses'],
      currentUses: ['currentUses', 'uses'],
      features: ['features'],
      maxVersion: ['maxVersion'],
      policy: ['policy', 'policyId'],
      orderId: ['orderId'],
      notes: ['notes'],
      createdAt: ['createdAt'],
      activations: ['activations', 'machines', 'machineIds'],
      metadata: ['metadata'],
    },
    signals: [],
    rest: 'ignore',
  },
};

/** The columns of a field, most telling first, in their normal spelling. */
export const columnsOf = (source: ForeignSource, field: keyof SourceColumns['columns']): readonly string[] =>
  (SOURCES[source].columns[field] ?? []).map(normalName);
