import { storeScreen, type Tone } from '#platform/admin/index.ts';
import { LicenseMintView } from './view.ts';

const tones: Readonly<Record<string, Tone>> = {
  minted: 'ok',
  pending: 'info',
  failed: 'bad',
  suspended: 'warn',
};
const words: Readonly<Record<string, string>> = {
  minted: 'made',
  pending: 'waits',
  failed: 'missing',
  suspended: 'suspended',
  revoked: 'revoked',
  kept: 'refunded, kept',
};

const status = {
  kind: 'status',
  value: ({ status, wanted }: { status: string; wanted: string }) =>
    status === wanted || status === 'pending' || status === 'failed'
      ? (words[status] ?? status)
      : `${words[status] ?? status}, to be ${words[wanted] ?? wanted}`,
  tone: ({ status, wanted }: { status: string; wanted: string }): Tone =>
    status !== wanted && status !== 'pending' ? 'bad' : (tones[status] ?? 'muted'),
} as const;

const order = {
  label: 'Order',
  kind: 'code',
  value: ({ orderNumber, orderId }: { orderNumber: string | null; orderId: string }) =>
    orderNumber ?? orderId,
  link: ({ orderId }: { orderId: string }) => `/store/orders/${orderId}`,
} as const;

/** A renewal has made the license of another order last longer. */
interface Licensed {
  readonly licenseId: string | null;
  readonly renews: string | null;
}

const license = {
  label: 'License',
  kind: 'code',
  value: ({ keyMasked, licenseId, renews }: Licensed & { readonly keyMasked: string | null }) =>
    keyMasked ?? licenseId ?? renews,
  link: (one: Licensed) => {
    const id = one.licenseId ?? one.renews;
    return id === null ? null : `/admin/licenses/${id}`;
  },
} as const;

const machines = {
  label: 'Machines',
  kind: 'meter',
  value: (one: { activationsUsed: number | null; maxActivations: number | null }) =>
    one.activationsUsed === null ? null : [one.activationsUsed, one.maxActivations],
} as const;

/** Licenses of orders in the panel. */
export const mintScreen = storeScreen(LicenseMintView, {
  path: '/store/licenses',
  area: 'store',
  nav: 'Licenses',
  order: 34,
  title: ({ title, orderNumber, orderId }) => `${title ?? 'License'} of order ${orderNumber ?? orderId}`,
  columns: {
    item: { label: 'Item', value: ({ title, sku }) => title ?? sku ?? 'Created by hand' },
    order,
    email: { label: 'Customer' },
    license,
    product: { label: 'License product', hidden: true },
    status,
    machines,
    error: { label: 'Problem' },
    validUntil: { label: 'Ends', kind: 'date', hidden: true },
    createdAt: { label: 'Created', kind: 'date', sort: 'created' },
    updatedAt: { label: 'Changed', kind: 'date', sort: 'updated', hidden: true },
  },
  facts: {
    status,
    error: { label: 'Problem' },
    nextAttemptAt: { label: 'Next try', kind: 'date' },
    attempts: { label: 'Failed tries', value: ({ attempts }) => (attempts === 0 ? null : attempts) },
    license,
    licenseStatus: { label: 'License state', kind: 'status' },
    machines,
    product: { label: 'License product' },
    type: {},
    tier: {},
    validUntil: { label: 'Ends', kind: 'date' },
    order,
    email: {
      label: 'Customer',
      link: ({ customerId }) => (customerId === null ? null : `/store/customers/${customerId}`),
    },
    item: { label: 'Item', value: ({ title }) => title ?? 'Created by hand' },
    sku: { label: 'SKU', kind: 'code' },
    unitNo: { label: 'Unit' },
    renews: { label: 'Renews', kind: 'code' },
    reason: { label: 'Reason' },
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  fields: { reason: { help: 'For the history of the order and of the license.' } },
  tabs: {
    machines: {
      label: 'Machines',
      of: 'activations',
      when: ({ licenseId }) => licenseId !== null,
      filters: ({ licenseId }) => ({ licenseId: licenseId ?? '' }),
      empty: 'Machines that use the license appear here.',
    },
  },
  undo: { suspend: 'reinstate' },
  views: [
    { name: 'Pending change', query: 'waiting=true' },
    { name: 'Missing', query: 'status=failed' },
    { name: 'Suspended', query: 'status=suspended' },
    { name: 'Revoked', query: 'status=revoked' },
  ],
  links: [{ label: 'License settings', href: '/store/settings/licenses', needs: 'settings:read' }],
  empty: {
    text: 'Buyers of a variant with a license get it when they pay. Licenses of orders appear here.',
    docs: 'sell-license-keys',
    cli: 'appctl license mint --product SLUG --email E --order NUMBER',
  },
});
