import { processorFields } from '#storefront/contract/payment-settings.ts';
import type { ClientConfig, Connection, Outcome, PayRequest, Processor } from './contract.ts';
import { badSignature } from './errors.ts';

/** Nothing of a foreign origin is loaded. */
export const NOTHING_LOADED: ClientConfig = {
  config: {},
  csp: { scripts: [], frames: [], connects: [], images: [], styles: [] },
  scriptUrl: null,
};

/** Staff records what came in: until then nothing is known of it. */
const awaited = ({ amountCents, currency }: Pick<PayRequest, 'amountCents' | 'currency'>): Outcome => ({
  status: 'pending',
  transactionId: null,
  amountCents,
  currency,
  methodLabel: offline.displayName,
  fingerprint: null,
  country: null,
  raw: {},
});

const BY_HAND = 'money of an offline payment is moved by hand';

const connection: Connection = {
  pay: async (request) => awaited(request),
  lookup: async () => 'unknown',
  confirm: async () => awaited({ amountCents: 0, currency: '' }),
  capture: async (request) => awaited(request),
  void: async () => ({ status: 'succeeded' }),
  // Paid back by hand, which is what is recorded (storefront-settled Z17).
  refund: async ({ amountCents, currency }) => ({
    status: 'succeeded',
    refundId: null,
    amountCents,
    currency,
  }),
  lookupRefund: async ({ amountCents, currency }) => ({
    status: 'succeeded',
    refundId: null,
    amountCents,
    currency,
  }),
  verify: async () => {
    throw badSignature(BY_HAND);
  },
  test: async () => ({ ok: true, message: 'Offline payments need no keys' }),
};

/** Bank transfer, check or purchase order: staff records the money when it is there. */
export const offline: Processor = {
  id: 'offline',
  name: 'Offline',
  displayName: 'Bank transfer, check or purchase order',
  kind: 'offline',
  capabilities: { payments: true, refunds: false, subscriptions: false, authorize: false, redirect: false },
  fields: processorFields.offline,
  client: () => NOTHING_LOADED,
  connect: async () => connection,
};
