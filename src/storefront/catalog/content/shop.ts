import type { Ctx } from '#kernel/context.ts';
import { counterSeen } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { isSlug } from '#kernel/service/fields.ts';
import { CATALOG_COUNTER } from '../products/index.ts';
import { findBySlug, type ListedPage, listPublished } from './queries.ts';
import type { ContentPage } from './record.ts';

/** The pages that the shop lists, as they were at a version of its counter. */
interface Kept {
  readonly version: number;
  readonly all: readonly ListedPage[];
}

const held = memoryKey('pages of the shop', () => ({
  kept: { version: -1, all: [] } as Kept,
}));

/** Every published page, by its title. */
export async function listShown(ctx: Ctx): Promise<readonly ListedPage[]> {
  const memory = ctx.memory.of(held);
  const version = await counterSeen(ctx, CATALOG_COUNTER);
  if (memory.kept.version === version) return memory.kept.all;
  const kept = { version, all: await listPublished(ctx) };
  if (version > memory.kept.version) memory.kept = kept;
  return kept.all;
}

/**
 * A page by its slug, or by one that it had before.
 *
 * @param more `drafts`: also one that is not published
 * @returns null when there is none
 */
export async function shownPage(
  ctx: Ctx,
  slug: string,
  { drafts = false }: { drafts?: boolean } = {},
): Promise<ContentPage | null> {
  // What can be no slug need not be looked for.
  const page = isSlug(slug) ? await findBySlug(ctx, slug) : null;
  return page && (drafts || page.status === 'published') ? page : null;
}
