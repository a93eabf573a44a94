import type { Actor } from '#kernel/actor.ts';
import type { AuditEntry, Auditor, Ctx } from '#kernel/context.ts';
import type { Origin } from '#kernel/origin.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { join } from './chain.ts';
import { type AuditRow, auditRecord, type VIAS } from './record.ts';
import { append, appendAfter, type Head, lockHead, type StoredRow } from './repository.ts';
import { keysFor, type PersonKey, written } from './seal.ts';
import { type Sides, sidesOf } from './sides.ts';

/** Writes the audit log of an installation (reliability M25). */
export const auditor: Auditor = {
  async write(ctx, entries) {
    const sides = entries.map(sidesOf);
    const keys = await keysFor(ctx, sides);
    const rows = entries.map((entry, n) => rowOf(entry, sides[n] as Sides, keys));
    if (rows.length === 1 && (await continued(ctx, rows))) return;
    const { rows: joined, head } = join(ctx, await lockHead(ctx), rows);
    await append(ctx, joined, head);
    ctx.memory.of(lastHead).known = head;
  },
};

/**
 * The end of the chain as this process wrote it last. A transaction that was rolled back leaves one here that never was;
 * its hash is nobody's, so that the next row is joined to the one that the database has.
 */
const lastHead = memoryKey('audit-head', (): { known: Head | null } => ({ known: null }));

/** Joins one row to the end that is remembered, which saves reading it. @returns false when it has moved since */
async function continued(ctx: Ctx, rows: readonly StoredRow[]): Promise<boolean> {
  const last = ctx.memory.of(lastHead);
  const { known } = last;
  if (known === null) return false;
  const joined = join(ctx, known, rows);
  if (!(await appendAfter(ctx, known, joined.rows[0] as StoredRow, joined.head))) return false;
  last.known = joined.head;
  return true;
}

function rowOf(
  { id, event, actor, origin }: AuditEntry,
  { before, after, person }: Sides,
  keys: ReadonlyMap<string, PersonKey | null>,
): StoredRow {
  const key = (person !== null && keys.get(person)) || null;
  const { target = event.service, details } = event.target ?? {};
  const values: Partial<AuditRow> = {
    id,
    at: event.at,
    actorKind: actor.kind,
    actorId: actor.id,
    actorLabel: actor.label,
    via: viaOf(actor, origin),
    ip: origin.ip,
    userAgent: origin.userAgent,
    requestId: origin.requestId,
    tenantId: event.tenantId,
    action: event.type,
    targetType: target,
    targetId: event.subject,
    details: (details?.(event.data) ?? event.data) as Record<string, unknown>,
    note: event.note ?? origin.note ?? null,
    personId: person !== null && keys.has(person) ? person : null,
  };
  const sides = { before: written(before, key), after: written(after, key) };
  return { ...(auditRecord.part(values) as StoredRow), ...sides };
}

/** A request comes by a page or by an API; what no request has caused a command did, or the program itself. */
function viaOf({ kind }: Actor, { route, requestId }: Origin): (typeof VIAS)[number] {
  if (kind === 'cli') return 'cli';
  if (requestId === null || kind === 'job') return 'job';
  return route?.startsWith('/api/') ? 'api' : 'web';
}
