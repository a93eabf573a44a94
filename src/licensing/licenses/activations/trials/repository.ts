import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';

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
