import type { Ctx } from '#kernel/context.ts';
import type { Device } from '#kernel/http/visitor.ts';
import { credentials } from '../customers/index.ts';
import { recognise } from '../devices/index.ts';
import { deviceWords } from './device-words.ts';
import { mailNewSignIn } from './mails.ts';

/**
 * Notes in which browser a customer has signed in, and tells the customer by email of one that is new to them
 * (storefront-domain 14). The browser of the first sign-in is news to nobody.
 *
 * @param locale of an email to a customer whose language is not known
 */
export async function noteDevice(ctx: Ctx, id: string, device: Device, locale: string): Promise<void> {
  // As it was sent: a transaction that is repeated names the browser once more.
  const sent: Device = { name: device.name, rename: device.rename };
  await ctx.tx(async (ctx) => {
    const account = await credentials.lock(ctx, id);
    if (!account) return;
    const seen = await recognise(ctx, id, sent);
    if (!seen.isNew || seen.isFirst) return;
    const words = deviceWords(ctx.origin.userAgent ?? null);
    await mailNewSignIn(ctx, account, { deviceId: seen.id, device: words, locale: account.locale ?? locale });
  });
}
