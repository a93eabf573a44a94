import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull, writeJsonOrNull } from '#kernel/db/columns.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import type { ActivationKind, EndReason } from '#licensing/contract/enumerations.ts';
import type { LicensingEventDetails } from '#licensing/contract/events.ts';

/** An activation as stored; times are ISO 8601 UTC. */
export interface Activation {
  id: string;
  licenseId: string;
  kind: ActivationKind;
  machineId: string;
  machineName: string | null;
  osName: string | null;
  osVersion: string | null;
  appVersion: string | null;
  /** What a checkout attached (D51). */
  metadata: JsonObject | null;
  activatedAt: string;
  lastSeenAt: string;
  leaseExpiresAt: string | null;
}

const columns = [
  'id',
  'tenant_id',
  'license_id',
  'kind',
  'machine_id',
  'machine_name',
  'os_name',
  'os_version',
  'app_version',
  'metadata',
  'activated_at',
  'last_seen_at',
  'lease_expires_at',
  'created_at',
] as const;
type Values = Record<(typeof columns)[number], string | null>;

const insertRow = statement<Values>((q, p) => q('license_activations').insert(p.row(...columns)));

export async function insert(ctx: Ctx, tenantId: string, one: Activation): Promise<void> {
  await insertRow.run(ctx.db, {
    id: one.id,
    tenant_id: tenantId,
    license_id: one.licenseId,
    kind: one.kind,
    machine_id: one.machineId,
    machine_name: one.machineName,
    os_name: one.osName,
    os_version: one.osVersion,
    app_version: one.appVersion,
    metadata: writeJsonOrNull(one.metadata),
    activated_at: one.activatedAt,
    last_seen_at: one.lastSeenAt,
    lease_expires_at: one.leaseExpiresAt,
    created_at: one.activatedAt,
  });
}

const endRow = statement<{ id: string; now: string; reason: EndReason }>((q, p) =>
  q('license_activations')
    .where('id', p('id'))
    .whereNull('ended_at')
    .update({ ended_at: p('now'), end_reason: p('reason') }),
);

/** Ends one activation; false when it had ended already (C6). */
export const end = async (ctx: Ctx, id: string, reason: EndReason): Promise<boolean> =>
  (await endRow.run(ctx.db, { id, now: ctx.now(), reason })) === 1;

const endExpired = statement<
  { license_id: string; now: string },
  { id: string; machine_id: string; lease_expires_at: string; metadata: string | null }
>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .where('kind', 'LEASE')
    .whereNull('ended_at')
    .where('lease_expires_at', '<=', p('now'))
    .update({ ended_at: p('now'), end_reason: 'LEASE_EXPIRED' })
    .returning(['id', 'machine_id', 'lease_expires_at', 'metadata']),
);

/** Ends leases that have run out, under the license's lock (licensing 5.2). */
export async function endExpiredLeases(
  ctx: Ctx,
  licenseId: string,
  now: string,
): Promise<LicensingEventDetails['LEASE_EXPIRED'][]> {
  const rows = await endExpired.all(ctx.db, { license_id: licenseId, now });
  return rows.map((row) => ({
    activationId: row.id,
    machineId: row.machine_id,
    leaseExpiresAt: row.lease_expires_at,
    metadata: readJsonOrNull<JsonObject>(row.metadata),
  }));
}

const endAllRows = statement<
  { license_id: string; now: string; reason: EndReason },
  {
    id: string;
    machine_id: string;
    machine_name: string | null;
    activated_at: string;
    lease_expires_at: string | null;
    metadata: string | null;
  }
>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .update({ ended_at: p('now'), end_reason: p('reason') })
    .returning(['id', 'machine_id', 'machine_name', 'activated_at', 'lease_expires_at', 'metadata']),
);

/** Ends every activation of a license, under its lock; those that it ended, oldest first. */
export async function endAll(
  ctx: Ctx,
  licenseId: string,
  reason: EndReason,
): Promise<Pick<Activation, 'id' | 'machineId' | 'machineName' | 'leaseExpiresAt' | 'metadata'>[]> {
  const rows = await endAllRows.all(ctx.db, { license_id: licenseId, now: ctx.now(), reason });
  // RETURNING keeps no order.
  rows.sort((a, b) => (`${a.activated_at}${a.id}` < `${b.activated_at}${b.id}` ? -1 : 1));
  return rows.map((row) => ({
    id: row.id,
    machineId: row.machine_id,
    machineName: row.machine_name,
    leaseExpiresAt: row.lease_expires_at,
    metadata: readJsonOrNull<JsonObject>(row.metadata),
  }));
}

const oldestLive = statement<
  { license_id: string; now: string },
  { machine_name: string | null; activated_at: string; last_seen_at: string }
>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', p('now')))
    .orderBy('activated_at')
    .limit(1)
    .select('machine_name', 'activated_at', 'last_seen_at'),
);

/** For the text of a refusal (6.6): which seat has been held the longest. */
export async function findOldest(ctx: Ctx, licenseId: string, now: string) {
  const row = await oldestLive.first(ctx.db, { license_id: licenseId, now });
  return row
    ? { machineName: row.machine_name, activatedAt: row.activated_at, lastSeenAt: row.last_seen_at }
    : null;
}

const clientEnds = statement<{ license_id: string; since: string }, { ended_at: string }>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .where('end_reason', 'CLIENT')
    .where('ended_at', '>', p('since'))
    .orderBy('ended_at', 'desc')
    .select('ended_at'),
);

/** Times of the deactivations by clients since a time, newest first (D63). */
export const listClientEnds = async (ctx: Ctx, licenseId: string, since: string): Promise<string[]> =>
  (await clientEnds.all(ctx.db, { license_id: licenseId, since })).map((row) => row.ended_at);

interface TrialUse {
  product_id: string;
  subject_kind: 'MACHINE' | 'CUSTOMER';
  subject: string;
  license_id: string;
}

const trialElsewhere = statement<
  { product_id: string; license_id: string; machine: string; customer: string | null },
  { license_id: string }
>((q, p) =>
  q('license_trial_uses')
    .where('product_id', p('product_id'))
    .whereNot('license_id', p('license_id'))
    .andWhere((subject) =>
      subject
        .where({ subject_kind: 'MACHINE', subject: p('machine') })
        .orWhere({ subject_kind: 'CUSTOMER', subject: p('customer') }),
    )
    .limit(1)
    .select('license_id'),
);

const insertTrialUse = statement<TrialUse & { now: string }>((q, p) =>
  q('license_trial_uses')
    .insert({
      ...p.row('product_id', 'subject_kind', 'subject', 'license_id'),
      first_at: p('now'),
      created_at: p('now'),
    })
    .onConflict(['product_id', 'subject_kind', 'subject', 'license_id'])
    .ignore(),
);

/** Who a trial is bound to: keyed digests, so that the table names nobody. */
export interface TrialSubjects {
  productId: string;
  licenseId: string;
  machine: string;
  customer: string | null;
}

/** Lets one transaction at a time judge and note these subjects: two licenses' rows do not exclude each other (D70). */
export async function lockTrial(ctx: Ctx, { productId, machine, customer }: TrialSubjects): Promise<void> {
  const subjects = [machine, ...(customer === null ? [] : [customer])];
  for (const subject of subjects.sort()) await lockName(ctx.db, `trial:${productId}:${subject}`);
}

/** Whether the machine or the customer was seen on another TRIAL of the product (D70). */
export const isTrialSeenElsewhere = async (ctx: Ctx, subjects: TrialSubjects): Promise<boolean> =>
  (await trialElsewhere.first(ctx.db, {
    product_id: subjects.productId,
    license_id: subjects.licenseId,
    machine: subjects.machine,
    customer: subjects.customer,
  })) !== undefined;

/** Remembers a trial; again is no error. */
export async function noteTrial(
  ctx: Ctx,
  { productId, licenseId, machine, customer }: TrialSubjects,
): Promise<void> {
  const use = { product_id: productId, license_id: licenseId, now: ctx.now() };
  await insertTrialUse.run(ctx.db, { ...use, subject_kind: 'MACHINE', subject: machine });
  if (customer !== null)
    await insertTrialUse.run(ctx.db, { ...use, subject_kind: 'CUSTOMER', subject: customer });
}

/** Gives the trials of one customer to another; one that both had stays where it is. */
export async function moveTrials(ctx: Ctx, from: string, into: string): Promise<void> {
  const { knex } = ctx.db;
  const ofCustomer = (subject: string) =>
    knex('license_trial_uses as u').where({ 'u.subject_kind': 'CUSTOMER', 'u.subject': subject });
  const had = knex('license_trial_uses as o')
    .whereRaw('o.product_id = u.product_id AND o.license_id = u.license_id')
    .where({ 'o.subject_kind': 'CUSTOMER', 'o.subject': into });
  await ofCustomer(from).whereNotExists(had).update({ subject: into });
}
