import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { bytesContent, type Content } from '#kernel/http/content.ts';
import { fail } from '#kernel/service/errors.ts';
import { find } from '#platform/media/index.ts';
import { logoMedia } from '#storefront/contract/branding.ts';
import * as orders from '../orders/index.ts';
import { creditNotePdf, invoicePdf } from './invoice.ts';
import { invoiceIn, issueInvoice } from './issue.ts';
import { documentOptions } from './options.ts';
import type { Invoice } from './record.ts';
import * as repo from './repository.ts';

/** A document as a file. */
export interface Printed {
  /** Of letters, digits, `-` and `.`. */
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** A document as the answer to a request: it names people, so that nobody keeps it on the way. */
export const asDownload = ({ fileName, bytes }: Printed): Content =>
  bytesContent('application/pdf', bytes, {
    etag: `"${sha256Hex(bytes)}"`,
    headers: {
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': 'private, no-store',
    },
  });

/** Beyond it a logo makes every document heavy. */
const MOST_LOGO_BYTES = 2_000_000;

/** The picture of the shop, where it is of a kind that a PDF can hold; otherwise its name stands there. */
export async function logoOf(ctx: Ctx): Promise<Uint8Array | null> {
  const id = ctx.settings.get(logoMedia);
  const media = id === null ? null : await find(ctx, id);
  const canPrint = media?.mime === 'image/png' || media?.mime === 'image/jpeg';
  if (!canPrint || media.bytes > MOST_LOGO_BYTES) return null;
  const object = await ctx.media.open(media.storageKey);
  if (!object) return null;
  try {
    const parts: Uint8Array[] = [];
    for await (const part of object.read(0, object.size - 1)) parts.push(Uint8Array.from(part));
    return Buffer.concat(parts);
  } finally {
    await object.close();
  }
}

async function printed(
  ctx: Ctx,
  { kind, invoiceNumber, issuedAt, content, buyer }: Invoice,
): Promise<Printed> {
  const model = {
    ...content,
    ...(buyer ?? { billing: [], shipping: null, note: null }),
    seller: { ...content.seller, logo: await logoOf(ctx) },
    number: invoiceNumber,
    date: issuedAt,
  };
  const options = await documentOptions(ctx);
  const isInvoice = kind === 'invoice';
  return {
    fileName: `${isInvoice ? 'invoice' : 'credit-note'}-${invoiceNumber}.pdf`,
    bytes: await (isInvoice ? invoicePdf : creditNotePdf)(model, options),
  };
}

/**
 * The invoice of an order as PDF (storefront-domain 15). One that was placed before orders had invoices gets its own now.
 *
 * @param idOrNumber of the order; whether the asker may see it is for the caller to judge
 * @throws AppError NOT_FOUND for an unknown order, and one that was not placed
 */
export async function invoiceDocument(ctx: Ctx, idOrNumber: string): Promise<Printed> {
  const order = await orders.get(ctx, idOrNumber);
  if (order.placedAt === null)
    throw fail(
      'NOT_FOUND',
      `order ${order.orderNumber ?? order.id} has no invoice yet: it is created when the order is placed`,
    );
  const known = invoiceIn(await repo.documentsOf(ctx, order.id));
  const invoice = known ?? (await ctx.tx(async (ctx) => issueInvoice(ctx, await orders.lock(ctx, order.id))));
  return printed(ctx, invoice);
}

/** One that was issued for an order. @throws AppError NOT_FOUND, in these words */
async function issuedFor(
  ctx: Ctx,
  idOrNumber: string,
  isMeant: (one: Invoice) => boolean,
  words: string,
): Promise<Printed> {
  const order = await orders.get(ctx, idOrNumber);
  const found = (await repo.documentsOf(ctx, order.id)).find(isMeant);
  if (found) return printed(ctx, found);
  throw fail('NOT_FOUND', `order ${order.orderNumber ?? order.id} has no ${words}`);
}

/**
 * The credit note of a refund as PDF.
 *
 * @throws AppError NOT_FOUND for an unknown order, a refund of another order, and one that has no credit note
 */
export const creditNoteDocument = (ctx: Ctx, idOrNumber: string, refundId: string): Promise<Printed> =>
  issuedFor(
    ctx,
    idOrNumber,
    (one) => one.refundId === refundId,
    `credit note of the refund ${refundId}: it is issued when the money was refunded`,
  );

/** An invoice or a credit note of an order by its number, also one that does not hold any more. @throws AppError NOT_FOUND */
export const numberedDocument = (ctx: Ctx, idOrNumber: string, number: string): Promise<Printed> =>
  issuedFor(ctx, idOrNumber, (one) => one.invoiceNumber === number, `document ${number}`);
