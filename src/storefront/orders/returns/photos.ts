import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { type CustomerPhoto, keepPhotos, photoOf, storePhoto } from '#storefront/people/photos/index.ts';
import type * as orders from '../orders/index.ts';
import type { Return } from './record.ts';
import * as repo from './repository.ts';

const unknown = (id: string) => fail('NOT_FOUND', `photo ${id} does not exist`);

/** Takes a photo of whoever bought an order. Not inside a transaction. @throws AppError as `storePhoto` */
export async function takePhoto(
  ctx: Ctx,
  customerId: string | null,
  source: AsyncIterable<Uint8Array>,
): Promise<CustomerPhoto> {
  if (customerId === null) throw fail('NOT_FOUND', 'this order has no customer');
  return storePhoto(ctx, { customerId, source, purpose: () => 'return' });
}

/**
 * Keeps photos with a return, in its transaction: those of others are refused.
 *
 * @throws AppError VALIDATION_ERROR
 */
export async function keepOf(
  ctx: Ctx,
  { customerId }: orders.Order,
  media: readonly string[],
): Promise<void> {
  if (media.length === 0) return;
  if (customerId === null) throw invalidField('media_ids', 'this order has no customer who sent photos');
  await keepPhotos(ctx, customerId, media);
}

/** A photo that a return or one of its messages shows. @throws AppError NOT_FOUND for every other one */
export async function photoIn(ctx: Ctx, one: Return, id: string): Promise<Content> {
  const [items, messages] = await Promise.all([repo.itemsOf(ctx, one.id), repo.messagesOf(ctx, one.id)]);
  if (![...items, ...messages].some(({ media }) => media.includes(id))) throw unknown(id);
  return photoOf(ctx, id, 'large', 'staff');
}

/** The bytes of it, for a page. */
export async function photoBytes(ctx: Ctx, one: Return, id: string): Promise<Uint8Array> {
  const content = await photoIn(ctx, one, id);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.read(0, (content.size ?? 1) - 1)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } finally {
    await content.close();
  }
}
