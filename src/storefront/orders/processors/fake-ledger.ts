/** What the processor `fake` remembers: files below the data directory, so that every process and a restart agree. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '#kernel/crypto.ts';
import type { PayRequest, ProcessorCtx } from './contract.ts';

/** One charge, as it was asked for first. */
export interface FakeCharge {
  readonly paymentId: string;
  readonly orderId: string;
  readonly sourceId: string;
  /** Everybody has a card of their own. */
  readonly card: string;
  readonly status: 'captured' | 'authorized' | 'requires_action' | 'pending' | 'declined';
  readonly amountCents: number;
  readonly currency: string;
  readonly capture: boolean;
  readonly returnUrl: string;
  readonly createdAt: string;
}

export interface FakeRefund {
  readonly key: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly status: 'succeeded' | 'failed';
}

/** What happened to a charge later, each at most once. */
export type FakeStep = 'confirmed' | 'captured' | 'voided';

const nameOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, '.').slice(0, 100);

/** Makes a file, or reads the one that is there: whoever repeats a call gets the first answer. */
function once<T>(path: string, value: T): T {
  try {
    writeFileSync(path, JSON.stringify(value), { flag: 'wx', mode: 0o600 });
    return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  }
}

/** The ledger of an installation. */
export function fakeLedger({ dataDir }: Pick<ProcessorCtx, 'dataDir'>) {
  const folder = join(dataDir, 'fake-payments');
  const at = (name: string): string => join(folder, name);
  const read = <T>(name: string): T | null =>
    existsSync(at(name)) ? (JSON.parse(readFileSync(at(name), 'utf8')) as T) : null;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const step = (paymentId: string, name: FakeStep) =>
    read<{ amountCents: number }>(`${nameOf(paymentId)}.${name}`);
  return {
    /** @returns the charge of this payment: the one that is there, when it was asked for before */
    charge: (charge: FakeCharge): FakeCharge => once(at(`${nameOf(charge.paymentId)}.json`), charge),
    find: (paymentId: string) => read<FakeCharge>(`${nameOf(paymentId)}.json`),
    step,
    /** Takes a step for an amount. @returns the amount of the first time */
    take: (paymentId: string, name: FakeStep, amountCents: number): number =>
      once(at(`${nameOf(paymentId)}.${name}`), { amountCents }).amountCents,
    refund: (paymentId: string, refund: FakeRefund): FakeRefund =>
      once(at(`${nameOf(paymentId)}.refund.${nameOf(refund.key)}`), refund),
    refunds: (paymentId: string): FakeRefund[] =>
      readdirSync(folder)
        .filter((name) => name.startsWith(`${nameOf(paymentId)}.refund.`))
        .map((name) => read<FakeRefund>(name))
        .filter((one) => one !== null),
  };
}

export type FakeLedger = ReturnType<typeof fakeLedger>;

/** What is written of a request. */
export const chargeOf = (
  { paymentId, orderId, amountCents, currency, capture, returnUrl, email }: PayRequest,
  rest: Pick<FakeCharge, 'sourceId' | 'status' | 'createdAt'>,
): FakeCharge => ({
  paymentId,
  orderId,
  amountCents,
  currency,
  capture,
  returnUrl,
  card: sha256Hex(email).slice(0, 16),
  ...rest,
});
