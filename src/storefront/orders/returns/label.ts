import type { Ctx } from '#kernel/context.ts';
import { newToken, sha256Hex } from '#kernel/crypto.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import { TooLarge } from '#kernel/storage/types.ts';
import type { Return } from './record.ts';

/** Largest file of a label. */
export const MOST_LABEL_BYTES = 5 * 1_048_576;
const MAGIC = Buffer.from('%PDF-');

/**
 * Keeps a shipping label that staff upload, under a name that nobody can guess. Not inside a transaction.
 *
 * @returns where it is kept
 * @throws AppError VALIDATION_ERROR for what is no PDF or too large
 */
export async function storeLabel(ctx: Ctx, source: AsyncIterable<Uint8Array>): Promise<string> {
  const staged = await ctx.media.stage(checked(source), MOST_LABEL_BYTES).catch((error: unknown) => {
    if (!(error instanceof TooLarge)) throw error;
    throw new AppError('VALIDATION_ERROR', 413, 'The label is larger than 5 MB. Upload a smaller file');
  });
  try {
    return (await staged.keep(partLocationOf(sha256Hex(newToken('')), 'label'))).location;
  } finally {
    await staged.discard();
  }
}

/** Lets a PDF pass, which its first bytes tell. */
async function* checked(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let head = Buffer.alloc(0);
  let isPdf = false;
  for await (const chunk of source) {
    if (!isPdf && head.length < MAGIC.length) head = Buffer.concat([head, chunk]).subarray(0, MAGIC.length);
    if (!isPdf && head.length === MAGIC.length) {
      if (!head.equals(MAGIC)) throw notPdf();
      isPdf = true;
    }
    yield chunk;
  }
  if (!isPdf) throw notPdf();
}

const notPdf = () => fail('VALIDATION_ERROR', 'The label is not a PDF. Upload the file of your carrier');

/** The uploaded label of a return. @throws AppError NOT_FOUND where it has none */
export async function labelOf(ctx: Ctx, { labelKey, returnNumber }: Return): Promise<Uint8Array> {
  const object = labelKey === null ? null : await ctx.media.open(labelKey);
  if (!object) throw fail('NOT_FOUND', `return ${returnNumber} has no label`);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of object.read(0, object.size - 1)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } finally {
    await object.close();
  }
}
