import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import {
  isOffered,
  isProcessorId,
  paymentProcessor,
  paymentProcessorsEnabled,
} from '#storefront/contract/payment-settings.ts';
import type { Processor, ProcessorCtx } from './contract.ts';
import { paymentUnavailable } from './errors.ts';
import { fake } from './fake.ts';
import { offline } from './offline.ts';
import { paypal } from './paypal/paypal.ts';
import { square } from './square/square.ts';
import { stripe } from './stripe/stripe.ts';

/** Every processor, in the order in which they are offered. */
const registry: readonly Processor[] = [stripe, square, paypal, offline, fake];

/** Those that staff have something to fill in for. */
export const configuredProcessors: readonly Processor[] = registry.filter(({ id }) => id !== 'fake');

/** Those that this installation can use: `fake` with `serve --dev` only (storefront-settled Z26). */
export const processors = (ctx: Pick<Ctx, 'mode'>): readonly Processor[] =>
  registry.filter(({ id }) => isOffered(id, ctx));

/** Whether this installation can ask a processor; `fake` took payments of one that ran with `serve --dev`. */
export const isInUse = (ctx: Pick<Ctx, 'mode'>, id: string): boolean =>
  processors(ctx).some((one) => one.id === id);

/** One of them. @throws AppError NOT_FOUND for an id that this installation does not know (storefront-settled Z10) */
export function processorOf(ctx: Pick<Ctx, 'mode'>, id: string): Processor {
  const found = processors(ctx).find((one) => one.id === id);
  if (found) return found;
  throw fail('NOT_FOUND', `Payment processor ${JSON.stringify(id.slice(0, 30))} does not exist`);
}

/** Fields that a processor needs and that nobody filled in. */
export const missingFields = (ctx: Pick<ProcessorCtx, 'settings'>, { fields }: Processor) =>
  fields.filter(({ required, setting }) => required && ctx.settings.get(setting) === null);

/** Whether everything that a processor needs was filled in; whether it is right only the processor can say. */
export const isConfigured = (ctx: Pick<ProcessorCtx, 'settings'>, processor: Processor): boolean =>
  missingFields(ctx, processor).length === 0;

/** Ids that the settings put to use, the main one first; also those that cannot take payments. */
export function enabledIds(ctx: Pick<ProcessorCtx, 'settings'>): readonly string[] {
  const main = ctx.settings.get(paymentProcessor);
  return [...new Set([...(main === null ? [] : [main]), ...ctx.settings.get(paymentProcessorsEnabled)])];
}

/** Those that a buyer can choose from, the main one first: put to use, offered in this mode, and configured. */
export const activeProcessors = (ctx: Pick<ProcessorCtx, 'settings' | 'mode'>): readonly Processor[] =>
  enabledIds(ctx)
    .map((id) => processors(ctx).find((one) => one.id === id))
    .filter((one) => one !== undefined)
    .filter((one) => isConfigured(ctx, one));

/**
 * The one that a buyer chose.
 *
 * @throws AppError VALIDATION_ERROR with reason PAYMENT_UNAVAILABLE when it cannot be chosen
 */
export function activeProcessorOf(ctx: Pick<ProcessorCtx, 'settings' | 'mode'>, id: string): Processor {
  const found = activeProcessors(ctx).find((one) => one.id === id);
  if (found) return found;
  const known = isProcessorId(id) ? id : 'this payment method';
  throw paymentUnavailable(`${known} does not take payments in this shop`);
}
