import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';

export const ids = defineIds({ auditEntry: 'aud' });

/** How a change reached the program. */
export const VIAS = ['web', 'api', 'cli', 'job'] as const;

const sides = () => column.json(() => z.record(z.string(), z.unknown()));

/**
 * Who changed what. Rows are never rewritten; each carries a hash over itself and the row before it (decision 0047). The
 * order of the columns is part of what is hashed.
 */
export const auditRecord = record(
  'audit_log',
  {
    /** Counts from 1 without gaps. */
    seq: column.integer(1),
    id: column.id(ids.auditEntry),
    at: column.time(),
    actorKind: column.text(20, 1),
    actorId: column.text(255).nullable(),
    actorLabel: column.text(255).nullable(),
    via: column.choice(VIAS),
    ip: column.text(64).nullable(),
    userAgent: column.text(1000).nullable(),
    requestId: column.text(255).nullable(),
    /** No foreign key: a tenant that goes leaves its history. */
    tenantId: column.text(30, 30),
    /** Name of the event. */
    action: column.text(100, 1),
    targetType: column.text(100, 1),
    targetId: column.text(255, 1),
    /** Fields that differ, of what was there and of what is there now; null where there was or is nothing. */
    before: sides().nullable(),
    after: sides().nullable(),
    details: sides(),
    note: column.text(1000).nullable(),
    /** Whom the sealed part of both sides is about. */
    personId: column.text(30).nullable(),
    prevHash: column.text(43).aside(),
    hash: column.text(43, 43).aside(),
  },
  { key: ['seq'], natural: ['id'], kept: 'for the days of audit_retention_days' },
);

/** A row of the log. */
export type AuditRow = ValuesOf<typeof auditRecord>;

/** Keys under which the personal parts of rows are sealed, one for each person. */
export const auditSubjectRecord = record(
  'audit_subjects',
  {
    id: column.text(30, 30),
    /** Sealed under the master key; null once the person was erased. */
    sealedKey: column.text(1000).nullable().secret(),
    createdAt: column.time(),
  },
  { kept: 'as long as the installation: without its key a row tells nothing of a person' },
);
