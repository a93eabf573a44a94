import { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { type AuditRow, auditRecord } from './record.ts';
import { type PersonKey, readable } from './seal.ts';

const side = () => z.record(z.string(), z.unknown()).nullable();

/** One change as staff see it (cli.md section 2). */
export const AuditEntryView = later(() =>
  z
    .object({
      ...storedView(auditRecord, ['id', 'seq', 'at']).shape,
      actor: z.object({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() }),
      ...storedView(auditRecord, ['via', 'ip', 'userAgent', 'requestId', 'tenantId', 'action']).shape,
      /** Name of a resource, and the id of one of its rows. */
      target: z.object({ type: z.string(), id: z.string() }),
      /** The fields that changed; all of them when the thing was made or deleted. */
      before: side(),
      after: side(),
      ...storedView(auditRecord, ['details', 'note']).shape,
    })
    .meta({ id: 'AuditEntry' }),
);
export type AuditEntry = z.output<typeof AuditEntryView>;

/** @param key of the person whom the row is about; null for nobody, and for one who was erased */
export const auditEntryView = (row: AuditRow, key: PersonKey | null): AuditEntry =>
  shownBy(AuditEntryView, {
    ...row,
    actor: { kind: row.actorKind, id: row.actorId, label: row.actorLabel },
    target: { type: row.targetType, id: row.targetId },
    before: readable(row.before, key),
    after: readable(row.after, key),
  });

const { id, seq, ip, action, before, after, details, note } = AuditEntryView.shape;

/** One change in the JSON of the store (storefront-api.md 2). */
export const StoreAuditEntryView = later(() =>
  z
    .object({
      ...{ id, seq },
      created_at: AuditEntryView.shape.at,
      actor_type: z.string(),
      actor_id: z.string().nullable(),
      actor_label: z.string().nullable(),
      action,
      /** Name of a resource, and the id of one of its rows. */
      entity: z.string(),
      entity_id: z.string(),
      ...{ before, after, details, note },
      via: AuditEntryView.shape.via,
      ip,
      user_agent: AuditEntryView.shape.userAgent,
      request_id: AuditEntryView.shape.requestId,
    })
    .meta({ id: 'StoreAuditEntry' }),
);

/** @param entry as the admin API shows it */
export const storeAuditEntryView = (entry: AuditEntry): z.output<typeof StoreAuditEntryView> => ({
  id: entry.id,
  seq: entry.seq,
  created_at: entry.at,
  actor_type: entry.actor.kind,
  actor_id: entry.actor.id,
  actor_label: entry.actor.label,
  action: entry.action,
  entity: entry.target.type,
  entity_id: entry.target.id,
  before: entry.before,
  after: entry.after,
  details: entry.details,
  note: entry.note,
  via: entry.via,
  ip: entry.ip,
  user_agent: entry.userAgent,
  request_id: entry.requestId,
});

/** Whether the log is whole, and its end, which can be kept as an anchor. */
export const AuditVerdict = later(() =>
  z
    .object({
      ok: z.boolean(),
      /** Rows that were looked at. */
      checked: z.int(),
      /** Number of the first row that is not what was written, or that is missing. */
      brokenAt: z.int().optional(),
      /** What is wrong there. */
      fault: z.string().optional(),
      /** The first row that retention has left. */
      from: z.int(),
      head: z.object({ seq: z.int(), hash: z.string() }),
    })
    .meta({ id: 'AuditVerdict' }),
);
export type AuditVerdict = z.output<typeof AuditVerdict>;
