import type { Ctx } from '#kernel/context.ts';
import { insertColumns } from '#kernel/db/record-rows.ts';
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
