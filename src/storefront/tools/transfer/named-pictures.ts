import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { findBySha, type Media } from '#platform/media/index.ts';
import type { NamedPicture } from './line.ts';

/**
 * The pictures of the library that lines name, in their order.
 *
 * @throws AppError VALIDATION_ERROR, reason MISSING_PICTURE, that names in `missing` all those that it does not have
 */
export async function picturesNamed(ctx: Ctx, lines: readonly NamedPicture[]): Promise<Media[]> {
  const found = await Promise.all(lines.map(({ sha256 }) => findBySha(ctx, sha256)));
  const missing = lines.filter((_line, at) => found[at] === null);
  if (missing.length === 0) return found.filter((one) => one !== null);
  const names = missing.map(({ sha256, file_name }) => file_name ?? sha256).join(', ');
  throw fail('VALIDATION_ERROR', `the library does not have the pictures ${names}; upload them first`, {
    details: { reason: 'MISSING_PICTURE', missing: missing.map(({ sha256 }) => sha256) },
  });
}

/** The id of one; what is not said and what there is none of stay so. Throws as `picturesNamed` does. */
export async function pictureOf(
  ctx: Ctx,
  line: NamedPicture | null | undefined,
): Promise<string | null | undefined> {
  if (line == null) return line;
  const [found] = await picturesNamed(ctx, [line]);
  return found?.id ?? null;
}
