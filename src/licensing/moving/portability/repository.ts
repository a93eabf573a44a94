import type { Ctx } from '#kernel/context.ts';
import { insertColumns } from '#kernel/db/record-rows.ts';
import { locationOf } from '#kernel/storage/location.ts';
import { entities } from './entities.ts';
import { columnNames, columnsOf, type Entity, KINDS, type Kind, type Values } from './entity.ts';

/** One compiled INSERT per kind; its columns are those of the entity. */
const inserts = Object.fromEntries(
  KINDS.map((kind) => [kind, insertColumns(entities[kind].record, columnNames(entities[kind]))]),
) as Record<Kind, ReturnType<typeof insertColumns>>;

/**
 * Inserts a row as it was exported.
 *
 * @throws a unique violation, a foreign key violation
 */
export async function insert(ctx: Ctx, entity: Entity, values: Values): Promise<void> {
  await inserts[entity.kind].run(ctx.db, columnsOf(entity, values));
}

/** Replaces what the migration wrote into the default tenant. */
export async function fillTenant(ctx: Ctx, entity: Entity, id: string, values: Values): Promise<void> {
  const { id: _own, ...columns } = columnsOf(entity, values);
  await ctx.db.knex(entity.record.table).where({ id }).update(columns);
}

/**
 * Notes the content of a bundle whose bytes did not come with it: the release can be read, and is not offered until
 * the same bytes are uploaded. Nothing changes for a content that is known here.
 *
 * @param now ISO 8601 UTC
 */
export async function awaitBundle(
  ctx: Ctx,
  bundle: { sha256: string; sha512: string; size: number } | null,
  now: string,
): Promise<void> {
  if (bundle === null) return;
  const location = locationOf(bundle.sha256);
  await ctx.db
    .knex('license_bundles')
    .insert({ ...bundle, location, touched_at: now, removed_at: now, created_at: now })
    .onConflict('sha256')
    .ignore();
}
