import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

/** A use of a key as it is added to the report. */
export interface NewHit {
  id: string;
  keyId: string;
  ip: string;
  endpoint: string;
  machineId: string | null;
  userAgent: string | null;
  count: number;
  firstAt: string;
  lastAt: string;
}

const insertHit = statement<Record<string, unknown>>((q, p) =>
  q('license_honeypot_hits')
    .insert(
      p.row(
        'id',
        'license_key_id',
        'hour',
        'ip',
        'endpoint',
        'machine_id',
        'user_agent',
        'count',
        'first_at',
        'last_at',
        'created_at',
      ),
    )
    .onConflict(['license_key_id', 'hour', 'ip'])
    .ignore(),
);

const addToHit = statement<{
  license_key_id: string;
  hour: string;
  ip: string;
  more: number;
  machine_id: string | null;
  user_agent: string | null;
  last_at: string;
}>((q, p) =>
  q('license_honeypot_hits')
    .where(p.row('license_key_id', 'hour', 'ip'))
    .update({
      count: q.raw('count + CAST(? AS integer)', [p('more')]) as never,
      machine_id: q.raw('coalesce(?, machine_id)', [p('machine_id')]) as never,
      user_agent: q.raw('coalesce(?, user_agent)', [p('user_agent')]) as never,
      last_at: p('last_at'),
    }),
);

/**
 * Adds uses of a key to its report; the last machine and program of an hour are shown.
 *
 * @returns whether they are the first of this key, address and hour: only then is there an event (D131)
 */
export async function addHit(ctx: Ctx, hit: NewHit): Promise<boolean> {
  const place = { license_key_id: hit.keyId, hour: hit.firstAt.slice(0, 13), ip: hit.ip };
  const last = { machine_id: hit.machineId, user_agent: hit.userAgent, last_at: hit.lastAt };
  const row = { ...place, ...last, id: hit.id, endpoint: hit.endpoint, count: hit.count };
  const inserted = await insertHit.run(ctx.db, { ...row, first_at: hit.firstAt, created_at: hit.firstAt });
  if (inserted === 1) return true;
  await addToHit.run(ctx.db, { ...place, ...last, more: hit.count });
  return false;
}
