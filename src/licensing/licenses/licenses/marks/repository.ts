import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { skippingLocked } from '#kernel/db/dialect.ts';
import { STEP_ROWS } from '#kernel/jobs/step.ts';

/** Licenses that follow one another by their ids. */
export interface Stretch {
  /** Of the last of them; null: the list ends here. */
  next: string | null;
  /** Those that have an activation, ended ones included, and no mark. */
  unmarked: string[];
}

/**
 * Looks through the next licenses of all tenants, without locks.
 *
 * @param after id of the license before them; empty for the first ones
 */
export async function lookThrough(ctx: Ctx, after: string): Promise<Stretch> {
  const { knex } = ctx.db;
  const ids: { id: string }[] = await knex('licenses')
    .where('id', '>', after)
    .orderBy('id')
    .limit(STEP_ROWS)
    .select('id');
  const last = ids.at(-1);
  if (!last) return { next: null, unmarked: [] };
  const rows: { id: string }[] = await knex('licenses as l')
    .where('l.id', '>', after)
    .where('l.id', '<=', last.id)
    .where('l.known_activated', false)
    .where((any) => any.whereExists(live(knex)).orWhereExists(ended(knex)))
    .select('l.id');
  return { next: ids.length < STEP_ROWS ? null : last.id, unmarked: rows.map(({ id }) => id) };
}

/**
 * Marks those of these licenses that have an activation. What removes the last one of a license may be under way: the
 * rows are locked first, and the activations looked for by a statement that begins after that.
 *
 * @returns how many; one that somebody else has locked waits for the next time
 */
export async function mark(ctx: Ctx, ids: readonly string[]): Promise<number> {
  const { knex } = ctx.db;
  const held: { id: string }[] = await skippingLocked(
    knex,
    knex('licenses')
      .whereIn('id', [...ids])
      .select('id'),
  );
  return knex('licenses as l')
    .whereIn(
      'l.id',
      held.map(({ id }) => id),
    )
    .where((any) => any.whereExists(live(knex)).orWhereExists(ended(knex)))
    .update({ known_activated: true });
}

/**
 * Takes the mark from those of these licenses that have no activation any more, in the transaction that removed it.
 * Whether there is a mark is not asked: it may be under way, and is waited for.
 */
export async function unmark(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const { knex } = ctx.db;
  await knex('licenses as l')
    .whereIn('l.id', [...ids])
    .whereNotExists(live(knex))
    .whereNotExists(ended(knex))
    .update({ known_activated: false });
}

// Each has an index of its own, and both together have none.
const live = (knex: Knex): Knex.QueryBuilder => activationsOf(knex).whereNull('a.ended_at');
const ended = (knex: Knex): Knex.QueryBuilder => activationsOf(knex).whereNotNull('a.ended_at');
const activationsOf = (knex: Knex): Knex.QueryBuilder =>
  knex('license_activations as a').whereRaw('a.license_id = l.id').select(knex.raw('1'));
