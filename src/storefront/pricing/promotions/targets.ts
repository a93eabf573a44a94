import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import { found, PLACE_KINDS, type PlaceKind, places } from './queries.ts';
import type { Promotion, StoredTargets, TargetKind } from './record.ts';
import { TARGET_KINDS } from './record.ts';
import type { TargetsInput } from './schemas.ts';

/** What something that a promotion names is called. */
export interface TargetName {
  readonly id: string;
  readonly kind: PlaceKind;
  /** By which it can be named: slug or SKU. */
  readonly name: string;
  readonly title: string;
}

/**
 * Targets as they are stored: ids, and tags in capitals, each once.
 *
 * @param field named in a refusal
 * @throws AppError VALIDATION_ERROR for what does not exist, and for lists that name nothing
 */
export async function resolved(
  ctx: Ctx,
  field: string,
  sent: TargetsInput | null,
): Promise<StoredTargets | null> {
  if (sent === null || sent === 'all') return sent;
  const stored: Partial<Record<TargetKind, string[]>> = {};
  for (const kind of PLACE_KINDS) {
    const named = sent[kind] ?? [];
    if (named.length > 0) stored[kind] = await idsOf(ctx, field, kind, named);
  }
  const tags = [...new Set((sent.tags ?? []).map(normed))];
  if (tags.length > 0) stored.tags = tags;
  if (Object.keys(stored).length > 0) return stored;
  throw invalidField(field, `is empty; write "all", or fill one of ${TARGET_KINDS.join(', ')}`);
}

async function idsOf(ctx: Ctx, field: string, kind: PlaceKind, named: readonly string[]): Promise<string[]> {
  const rows = await found(ctx, kind, named);
  const nameOf = (name: string): string => (kind === 'variants' ? normed(name) : name);
  const ids = new Map(rows.flatMap(({ id, name }) => [[nameOf(name), id] as const, [id, id] as const]));
  return [
    ...new Set(
      named.map((one, at) => {
        const id = ids.get(one) ?? ids.get(nameOf(one));
        if (id !== undefined) return id;
        throw invalidField(
          `${field}.${kind}.${at}`,
          `names ${places[kind].one} ${one}, which does not exist`,
        );
      }),
    ),
  ];
}

/** What the things that some promotions name are called: a question for each kind, however many promotions there are. */
export async function namesIn(
  ctx: Ctx,
  promotions: readonly Promotion[],
): Promise<ReadonlyMap<string, TargetName>> {
  const names = new Map<string, TargetName>();
  for (const kind of PLACE_KINDS) {
    const ids = new Set(promotions.flatMap((one) => listed(one).flatMap((targets) => targets[kind] ?? [])));
    if (ids.size === 0) continue;
    for (const row of await found(ctx, kind, [...ids])) names.set(row.id, { ...row, kind });
  }
  return names;
}

const listed = ({ appliesTo, excludes, buy, get }: Promotion) =>
  [appliesTo, excludes, buy, get].filter((one) => one !== null && one !== 'all');

/** Ids that a promotion names. */
export const idsIn = (promotion: Promotion): readonly string[] =>
  listed(promotion).flatMap((targets) => PLACE_KINDS.flatMap((kind) => targets[kind] ?? []));
