import type { Ctx } from '#kernel/context.ts';
import { counterSeen } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { CATALOG_COUNTER } from '../products/index.ts';
import { listAll, membersOf, type PicturedCollection } from './queries.ts';

/** A collection as its page shows it. */
export interface ShownCollection {
  readonly collection: PicturedCollection;
  /** In its order, when it was filled by hand. */
  readonly productIds: ReadonlySet<string>;
}

/** The collections as the catalogue was at a version of its counter; their products once they were asked for. */
interface Kept {
  readonly version: number;
  readonly all: readonly PicturedCollection[];
  readonly members: Map<string, Promise<ReadonlySet<string>>>;
}

const held = memoryKey('collections of the shop', () => ({
  kept: { version: -1, all: [], members: new Map() } as Kept,
}));

async function keptOf(ctx: Ctx): Promise<Kept> {
  const memory = ctx.memory.of(held);
  const version = await counterSeen(ctx, CATALOG_COUNTER);
  if (memory.kept.version === version) return memory.kept;
  const kept: Kept = { version, all: await listAll(ctx), members: new Map() };
  if (version > memory.kept.version) memory.kept = kept;
  return kept;
}

/** Every collection, by its title. */
export const listShown = async (ctx: Ctx): Promise<readonly PicturedCollection[]> => (await keptOf(ctx)).all;

/** Those that have products by hand or by rules: one whose rules are still to be set is announced nowhere. */
export const listAnnounced = async (ctx: Ctx): Promise<readonly PicturedCollection[]> =>
  (await listShown(ctx)).filter(({ kind, rules }) => kind === 'manual' || rules.length > 0);

/** @returns null for an unknown slug */
export async function shownCollection(ctx: Ctx, slug: string): Promise<ShownCollection | null> {
  const { all, members } = await keptOf(ctx);
  const collection = all.find((one) => one.slug === slug);
  if (!collection) return null;
  let found = members.get(collection.id);
  if (!found) {
    found = membersOf(ctx, collection).then((ids) => new Set(ids));
    members.set(collection.id, found);
    // What failed is asked for again.
    found.catch(() => members.delete(collection.id));
  }
  return { collection, productIds: await found };
}
