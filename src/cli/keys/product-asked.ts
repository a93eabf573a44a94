import { MAX_LABEL_LENGTH } from '#signing/keys/key-shape.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';

/** The slug of `--product`; a key may be made where no database knows it. Throws a usage error (2). */
export function requireSlug(cli: Cli): string {
  const product = cli.required('product');
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(product) && product.length <= 63) return product;
  throw usageError(`--product '${product}' is not a product slug`);
}

/** Throws a usage error (2) for a `--comment` that is too long for the label of a key. */
export function requireComment(cli: Cli): void {
  if ((cli.option('comment')?.length ?? 0) > MAX_LABEL_LENGTH) {
    throw usageError(`--comment can have at most ${MAX_LABEL_LENGTH} characters`);
  }
}
