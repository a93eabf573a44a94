import { createHash } from 'node:crypto';
import type { SquareClient } from 'square';
import { processorFields } from '#storefront/contract/payment-settings.ts';
import type { ProcessorCtx } from '../contract.ts';
import { paymentUnavailable } from '../errors.ts';

const [applicationField, locationField, tokenField, signatureKeyField, environmentField] =
  processorFields.square;

/** As long as a buyer waits (storefront-domain section 11). */
export const TIMEOUT_MS = 30_000;

const MOST_KEY = 45;

/** A longer key than Square takes becomes its hash. */
export const keyOf = (key: string): string =>
  key.length <= MOST_KEY ? key : createHash('sha256').update(key).digest('hex').slice(0, MOST_KEY);

export const applicationOf = (ctx: ProcessorCtx): string => ctx.settings.get(applicationField.setting) ?? '';
export const locationOf = (ctx: ProcessorCtx): string => ctx.settings.get(locationField.setting) ?? '';
export const signatureKeyOf = (ctx: ProcessorCtx): string | null =>
  ctx.settings.get(signatureKeyField.setting);
export const isSandbox = (ctx: ProcessorCtx): boolean =>
  ctx.settings.get(environmentField.setting) === 'sandbox';

/** What Square is told to call, and signs with what it calls. */
export const notificationUrlOf = ({ baseUrl }: Pick<ProcessorCtx, 'baseUrl'>): string =>
  `${baseUrl}/api/store/payments/webhook/square`;

/**
 * The official SDK with the access token of the settings; it is loaded now.
 *
 * @throws AppError VALIDATION_ERROR with reason PAYMENT_UNAVAILABLE when a field is missing
 */
export async function squareClient(ctx: ProcessorCtx, timeoutMs: number): Promise<SquareClient> {
  const token = ctx.settings.get(tokenField.setting);
  if (token === null || locationOf(ctx) === '')
    throw paymentUnavailable('Square is not set up: it has no access token, or no location');
  const { SquareClient, SquareEnvironment } = await import('square');
  const place = isSandbox(ctx) ? SquareEnvironment.Sandbox : SquareEnvironment.Production;
  return new SquareClient({
    token,
    baseUrl: ctx.processorUrls.get('square') ?? place,
    timeoutInSeconds: timeoutMs / 1000,
    // A repetition belongs to whoever knows what became of the first call.
    maxRetries: 0,
  });
}
