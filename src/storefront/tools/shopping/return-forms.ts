import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import type { SentFiles } from '#kernel/http/form-files.ts';
import { refuseForm } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import type { ShopWords } from '../shop/index.ts';

const list = (max: number) =>
  z
    .array(text({ max, trim: true }))
    .max(100)
    .default([]);

/** As it is typed: each line of the order has a field of the same name. */
export const RequestForm = later(() =>
  z.object({
    once: text({ max: 64 }).default(''),
    item: list(30),
    quantity: list(4),
    reason: list(30),
    note: list(1000),
    resolution: oneOf(returns.RESOLUTIONS).default('refund'),
  }),
);
export const TrackingForm = later(() =>
  z.object({
    carrier: text({ max: 100, trim: true }).default(''),
    tracking_number: text({ max: 200, trim: true }).default(''),
  }),
);
export const MessageForm = later(() => z.object({ body: text({ max: 5000, trim: true }).default('') }));
export const NoForm = z.object({});

/** A refusal in the language of the page, beside the field that it is about. */
function refused({ t }: ShopWords, error: unknown, field: string): never {
  if (!(error instanceof AppError) || error.status >= 500 || error.code === 'NOT_FOUND') throw error;
  const { reason } = error.details;
  const key = reason === 'NOT_RETURNABLE' || reason === 'INVALID_TRANSITION' ? String(reason) : 'other';
  const message = t(`return.refused_${key}`);
  throw refuseForm(message, { [field]: message });
}

const isUnits = (typed: string): boolean => /^[1-9]\d{0,2}$/.test(typed);

/** Photos of a form of a return. */
export const photoFiles = { photos: { maxCount: 5, maxBytes: () => 10 * 1_048_576 } } as const;

/** Takes the photos of a form. @returns their ids */
async function photosFrom(ctx: Ctx, order: Order, { t }: ShopWords, files: SentFiles): Promise<string[]> {
  const taken: string[] = [];
  for (const { object } of files.photos ?? [])
    try {
      taken.push((await returns.takePhoto(ctx, order.customerId, createReadStream(object.path))).id);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      throw refuseForm(t('return.refused_upload'), { photos: t('return.refused_upload') });
    }
  return taken;
}

/** Asks for the return that a form describes. */
export async function requestFrom(
  ctx: Ctx,
  order: Order,
  words: ShopWords,
  form: z.output<typeof RequestForm>,
  files: SentFiles,
): Promise<returns.Return> {
  const { t } = words;
  const known = new Map((await returns.offeredReasons(ctx)).map((one) => [one.id, one]));
  const items = form.item.flatMap((orderItemId, at) => {
    const typed = form.quantity[at] ?? '';
    if (orderItemId === '' || typed === '' || typed === '0') return [];
    if (!isUnits(typed)) throw refuseForm(t('return.refused_units'), { quantity: t('return.refused_units') });
    const reason = known.get(form.reason[at] ?? '');
    if (!reason) throw refuseForm(t('return.refused_reason'), { reason: t('return.refused_reason') });
    const note = form.note[at] || undefined;
    if (reason.requiresNote && note === undefined)
      throw refuseForm(t('return.refused_note'), { note: t('return.refused_note') });
    if (reason.requiresPhoto && (files.photos ?? []).length === 0)
      throw refuseForm(t('return.refused_photo'), { photos: t('return.refused_photo') });
    return [{ orderItemId, quantity: Number(typed), reasonId: reason.id, note }];
  });
  if (items.length === 0) throw refuseForm(t('return.refused_none'), { quantity: t('return.refused_none') });
  const media = await photosFrom(ctx, order, words, files);
  const asked = {
    items: items.map((item) => ({ ...item, media })),
    resolution: form.resolution,
    onceKey: form.once || undefined,
  };
  try {
    return await returns.request(ctx, order, asked, { by: 'customer' });
  } catch (error) {
    return refused(words, error, 'quantity');
  }
}

/** Says how goods travel. */
export async function trackFrom(
  ctx: Ctx,
  one: returns.Return,
  words: ShopWords,
  { carrier, tracking_number: trackingNumber }: z.output<typeof TrackingForm>,
): Promise<void> {
  const missing = words.t('return.refused_tracking');
  if (carrier === '') throw refuseForm(missing, { carrier: missing });
  if (trackingNumber === '') throw refuseForm(missing, { tracking_number: missing });
  await returns
    .track(ctx, one.id, { carrier, trackingNumber })
    .catch((error: unknown) => refused(words, error, 'tracking_number'));
}

/** Withdraws a return. */
export const cancelFrom = (ctx: Ctx, one: returns.Return, words: ShopWords): Promise<unknown> =>
  returns.cancel(ctx, one.id, null).catch((error: unknown) => refused(words, error, 'form'));

/** Adds a message of the customer. */
export async function writeFrom(
  ctx: Ctx,
  one: returns.Return,
  { t }: ShopWords,
  { body }: z.output<typeof MessageForm>,
): Promise<void> {
  const missing = t('return.refused_message');
  if (body === '') throw refuseForm(missing, { body: missing });
  await returns.write(ctx, one.id, 'customer', { body });
}
