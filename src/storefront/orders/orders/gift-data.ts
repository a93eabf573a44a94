import { z } from 'zod';

/** A gift card that is bought: what it is worth, whom it is for, and when it is sent; null: as soon as it is paid. */
export interface GiftData {
  readonly amountCents: number;
  readonly recipientEmail: string | null;
  readonly recipientName: string | null;
  /** Whose present it is, as the mail says. */
  readonly senderName: string | null;
  readonly message: string | null;
  readonly sendAt: string | null;
}
export const StoredGift: () => z.ZodType<GiftData> = () =>
  z.object({
    amountCents: z.number(),
    recipientEmail: z.string().nullable(),
    recipientName: z.string().nullable(),
    senderName: z.string().nullable(),
    message: z.string().nullable(),
    sendAt: z.string().nullable(),
  });

/** What an erasure leaves of it: what it is worth. */
export const giftForNobody = (_id: string, gift: GiftData | null): GiftData | null =>
  gift && { ...gift, recipientEmail: null, recipientName: null, senderName: null, message: null };
