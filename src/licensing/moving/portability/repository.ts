import type { Ctx } from '#kernel/context.ts';
import type { Row } from '#kernel/db/record.ts';
import { insertColumns } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import { locationOf } from '#kernel/storage/location.ts';
import type { KeyKind } from '#licensing/contract/enumerations.ts';
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

/** A key as it is inserted. */
export interface NewKey {
  id: string;
  licenseId: string;
  digest: string;
  sealed: string;
  prefix: string;
  isCanonical: boolean;
  kind: KeyKind;
  overlapUntil: string | null;
  thenHoneypot: boolean;
  replacedAt: string | null;
  createdAt: string;
}

const insertKeyRow = statement<Row>((q, p) =>
  q('license_keys')
    .insert(
      p.row(
        'id',
        'license_id',
        'digest',
        'key_enc',
        'prefix',
        'is_canonical',
        'kind',
        'overlap_until',
        'then_honeypot',
        'replaced_at',
        'created_at',
      ),
    )
    .onConflict('digest')
    .ignore(),
);

/** Stores a key; false when any license has, or once had, it. */
export const insertKey = async (ctx: Ctx, key: NewKey): Promise<boolean> =>
  (await insertKeyRow.run(ctx.db, {
    id: key.id,
    license_id: key.licenseId,
    digest: key.digest,
    key_enc: key.sealed,
    prefix: key.prefix,
    is_canonical: key.isCanonical,
    kind: key.kind,
    overlap_until: key.overlapUntil,
    then_honeypot: key.thenHoneypot,
    replaced_at: key.replacedAt,
    created_at: key.createdAt,
  })) === 1;

const fillCounter = statement<{ id: string; current: number }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .where({ current_uses: 0, usage_base: 0, usage_epoch: 0 })
    .update({ current_uses: p('current'), usage_base: p('current') }),
);

/**
 * Gives a license that has counted nothing yet the counter that it had elsewhere; false when it has counted. The base
 * holds it, since its records stayed behind: doctor adds the two up (licensing 8.8).
 */
export const setCounter = async (ctx: Ctx, licenseId: string, current: number): Promise<boolean> =>
  (await fillCounter.run(ctx.db, { id: licenseId, current })) === 1;

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

/** Whoever remembers the releases of a product sees that there is another. */
export async function raiseReleases(ctx: Ctx, productId: string): Promise<void> {
  await ctx.db.knex('license_products').where({ id: productId }).increment('releases_version', 1);
}
