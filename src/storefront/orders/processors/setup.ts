/** What staff do with payment processors: fill in their fields, try them, and put them to use. */
import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import * as settings from '#platform/settings/index.ts';
import { paymentProcessor, paymentProcessorsEnabled } from '#storefront/contract/payment-settings.ts';
import type { Processor } from './contract.ts';
import { paymentUnavailable } from './errors.ts';
import { enabledIds, isConfigured, missingFields, processorOf, processors } from './registry.ts';
import type { ProcessorView } from './view.ts';

/** What a processor is told to call when something happens to a payment. */
export const webhookUrlOf = ({ baseUrl }: Pick<Ctx, 'baseUrl'>, id: string): string =>
  `${baseUrl}/api/store/payments/webhook/${id}`;

/** A processor without a field has nothing to sign notifications with, and sends none. */
const isNotifying = ({ fields }: Processor): boolean => fields.length > 0;

function viewOf(ctx: Ctx, processor: Processor): ProcessorView {
  const { id, name, displayName, kind, capabilities, fields } = processor;
  return {
    id,
    name,
    display_name: displayName,
    kind,
    capabilities,
    config_fields: fields.map((field) => {
      const { value } = settings.get(ctx, field.setting.key);
      return {
        key: field.name,
        setting: field.setting.key,
        label: field.label,
        help: field.help,
        type: field.type,
        required: field.required,
        value: value === null ? '' : String(value),
        options: [...settings.choicesOf(ctx, field.setting.key)],
      };
    }),
    configured: isConfigured(ctx, processor),
    active: ctx.settings.get(paymentProcessor) === id,
    at_checkout: enabledIds(ctx).includes(id),
    webhook_url: isNotifying(processor) ? webhookUrlOf(ctx, id) : null,
  };
}

/** Every processor of this installation, secrets masked. */
export async function list(ctx: Ctx): Promise<ProcessorView[]> {
  await settings.refresh(ctx);
  return processors(ctx).map((one) => viewOf(ctx, one));
}

/** One of them. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, id: string): Promise<ProcessorView> {
  await settings.refresh(ctx);
  return viewOf(ctx, processorOf(ctx, id));
}

/**
 * Fills in fields of a processor, all of them or none.
 *
 * @param values by the name of the field; null empties one, and a masked secret stays as it is
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, also for a field that the processor does not have; CONFLICT when the
 *   configuration fixes one
 */
export async function configure(
  ctx: Ctx,
  id: string,
  values: Readonly<Record<string, unknown>>,
): Promise<{ configured: boolean }> {
  await settings.refresh(ctx);
  const processor = processorOf(ctx, id);
  const texts = Object.entries(values).flatMap(([name, value]): [string, string | null][] => {
    const field = processor.fields.find((one) => one.name === name);
    if (!field) throw invalidField(name, `is not a field of ${processor.name}`);
    if (value !== null && typeof value !== 'string') throw invalidField(name, 'must be a text');
    const isKept = field.setting.secret && value === settings.get(ctx, field.setting.key).value;
    return isKept ? [] : [[field.setting.key, value === '' ? null : value]];
  });
  if (texts.length > 0) await settings.setTexts(ctx, Object.fromEntries(texts));
  return { configured: isConfigured(ctx, processor) };
}

/** @throws AppError VALIDATION_ERROR with reason PAYMENT_UNAVAILABLE when a field is missing */
function requireConfigured(ctx: Ctx, processor: Processor): void {
  const missing = missingFields(ctx, processor).map(({ label }) => label);
  if (missing.length > 0)
    throw paymentUnavailable(`${processor.name} cannot take payments yet: fill in ${missing.join(', ')}`);
}

/** Makes a processor the main one. @throws AppError NOT_FOUND; VALIDATION_ERROR when a field is missing */
export async function activate(ctx: Ctx, id: string): Promise<{ payment_processor: string }> {
  await settings.refresh(ctx);
  requireConfigured(ctx, processorOf(ctx, id));
  await settings.set(ctx, { key: paymentProcessor.key, value: id });
  return { payment_processor: id };
}

/** Offers a processor beside the main one, or no longer. @throws AppError as `activate` does */
export async function offer(ctx: Ctx, id: string, isOffered: boolean): Promise<void> {
  await settings.refresh(ctx);
  const processor = processorOf(ctx, id);
  if (isOffered) requireConfigured(ctx, processor);
  else if (ctx.settings.get(paymentProcessor) === id) await settings.unset(ctx, paymentProcessor.key);
  await settings.revise(ctx, paymentProcessorsEnabled, (before) => {
    const others = before.filter((one) => one !== id);
    return isOffered ? [...others, processor.id] : others;
  });
}

/** Asks the processor whether its keys are right. @throws AppError NOT_FOUND */
export async function test(ctx: Ctx, id: string): Promise<{ ok: boolean; message: string }> {
  await settings.refresh(ctx);
  const processor = processorOf(ctx, id);
  const missing = missingFields(ctx, processor).map(({ label }) => label);
  if (missing.length > 0) return { ok: false, message: `Fill in ${missing.join(', ')} first` };
  const connection = await processor.connect(ctx);
  return connection.test();
}
