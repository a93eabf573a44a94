// A processor with settings of a test, without a database: what speaks with a processor needs none.
import { createLog, type Log } from '#kernel/log.ts';
import type { PayRequest, ProcessorCtx } from '#storefront/orders/processors/index.ts';
import { type TestClock, testClock } from '../context.ts';

export type ProcessorSetup = {
  /** Settings by key. */
  settings?: Record<string, unknown>;
  /** Addresses in place of the processors' own, by id. */
  urls?: Record<string, string>;
  mode?: 'production' | 'development';
  log?: Log;
  clock?: TestClock;
  /** Where `fake` keeps its ledger; the others write nothing. */
  dataDir?: string;
};

/** What a processor needs of the program. */
export function processorCtx({
  settings = {},
  urls = {},
  mode = 'development',
  log,
  clock = testClock(),
  dataDir = '',
}: ProcessorSetup): ProcessorCtx {
  return {
    settings: {
      get: ({ key, default: initial }) => (key in settings ? (settings[key] as typeof initial) : initial),
      version: 0,
    },
    processorUrls: new Map(Object.entries(urls)),
    mode,
    baseUrl: 'https://shop.x.test',
    dataDir,
    log: log ?? createLog({ level: 'silent', destination: 2 }),
    now: () => new Date(clock.epochMs()).toISOString(),
  };
}

let payments = 0;

/** A payment of 19.99 EUR with an id of its own. */
export function paymentOf(extra: Partial<PayRequest> = {}): PayRequest {
  const number = String((payments += 1)).padStart(4, '0');
  return {
    paymentId: `pay_01HZX0000000000000000X${number}`,
    orderId: `ord_01HZX0000000000000000X${number}`,
    orderNumber: `1${number}`,
    sourceId: 'ok',
    amountCents: 1999,
    currency: 'EUR',
    capture: true,
    email: 'ann@x.test',
    returnUrl: 'https://shop.x.test/shop/checkout/return/processor',
    cancelUrl: 'https://shop.x.test/shop/checkout',
    description: `Order 1${number}`,
    ...extra,
  };
}
