import { z } from 'zod';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

const days = (key: string, description: string, initial: number) =>
  setting({
    key,
    group: 'returns',
    description,
    schema: z.int('must be a whole number').min(1).max(3650),
    default: initial,
  });

export const returnWindowDays = days(
  'return_window_days',
  'Days in which customers can ask to return something, from its delivery, else from when it was shipped, else from the order',
  30,
);

export const returnShipDays = days(
  'return_ship_days',
  'Days in which customers have to send what they may return; a week later a return that did not arrive expires',
  14,
);

export const returnAutoApprove = setting({
  key: 'return_auto_approve',
  group: 'returns',
  description: 'Whether returns are approved by themselves up to return_auto_approve_max_cents',
  schema: z.boolean(),
  default: false,
});

export const returnAutoApproveMaxCents = setting({
  key: 'return_auto_approve_max_cents',
  group: 'returns',
  description:
    'What a return may be worth to be approved by itself, in the smallest unit of the currency; larger ones wait for staff',
  schema: z.int('must be a whole number').min(0).max(MAX_AMOUNT_CENTS),
  default: 0,
});

export const restockingFeeBps = setting({
  key: 'restocking_fee_bps',
  group: 'returns',
  description:
    'Part of the value that is kept back when a return is refunded, in hundredths of a percent: 1000 is 10 percent. Staff can change it for each return',
  schema: z.int('must be a whole number').min(0).max(10_000),
  default: 0,
});

export const returnInstructions = setting<string | null>({
  key: 'return_instructions',
  group: 'returns',
  description:
    'How customers send goods back, and to which address: they read it when their return is approved. Staff can write something else for each return',
  schema: maybe(5000),
  default: null,
});

/** Settings of returns (storefront-domain 13). */
export const returnSettings = [
  returnWindowDays,
  returnShipDays,
  returnAutoApprove,
  returnAutoApproveMaxCents,
  restockingFeeBps,
  returnInstructions,
] as readonly Setting[];
