import type { Ctx } from '#kernel/context.ts';
import { licensingEvent } from '../events.ts';
import { ids } from '../ids.ts';
import { publish } from '../publish.ts';
import type { ActivationReply, LicensePublicReply } from '../replies.ts';
import { defaultLeaseSeconds } from '../settings.ts';
import {
  activationPublic,
  type Decision,
  decide,
  type Facts,
  factsOf,
  findStanding,
  judge,
  licensePublic,
  liveMachinesOf,
  lockFirst,
  type Named,
  namesOf,
  refusal,
  type Standing,
  statusAt,
  subjectOf,
} from '../validation/index.ts';
import * as repo from './repository.ts';
import type { ActivateInput } from './schemas.ts';

export interface Activated {
  message: string;
  license: LicensePublicReply;
  activation: ActivationReply;
  versionAllowed?: boolean;
}

/** A refusal is written and committed before it is thrown: its event must outlive it (C15). */
type Outcome = { activated: Activated } | { refused: Decision };

/**
 * Binds a license to a machine (spec POST /api/v1/license/activate; D57 to D61, D70; licensing 5.2).
 * The same machine again gets its activation back and changes nothing.
 *
 * @throws AppError NOT_FOUND, INVALID_KEY, ACTIVATION_FAILED (`details.reason` tells which rule)
 */
export async function activate(ctx: Ctx, input: ActivateInput): Promise<Activated> {
  const names = namesOf(ctx, input.licenseKey);
  const outcome = await ctx.tx((ctx) => activateLocked(ctx, names, input));
  if ('refused' in outcome) throw refusal('activate', outcome.refused);
  return outcome.activated;
}

async function activateLocked(ctx: Ctx, names: readonly Named[], input: ActivateInput): Promise<Outcome> {
  const standing = await lockAndSweep(ctx, names, input.machineId);
  const trial = standing && trialSubjects(ctx, standing, input.machineId);
  if (trial && standing.policy?.trialReuse === 'BLOCK') await repo.lockTrial(ctx, trial);
  const now = ctx.now();
  const facts: Facts = {
    ...factsOf(
      { malformed: names.length === 0, standing },
      { appVersion: input.appVersion },
      ctx.settings.get(defaultLeaseSeconds),
    ),
    history: trial && { ...NO_HISTORY, trialSeenElsewhere: await repo.isTrialSeenElsewhere(ctx, trial) },
  };
  const decision = judge(ctx, 'activate', facts, now, input.machineId);
  if (!standing) return { refused: decision };
  if (!decision.allowed) return refuse(ctx, standing, facts, decision, input, now);
  const activation = decision.repeat ? standing.activation : await bind(ctx, standing, decision, input, now);
  if (trial && !decision.repeat) await repo.noteTrial(ctx, trial);
  return {
    activated: answer(ctx, standing, decision, { ...(activation as Held), machineId: input.machineId }),
  };
}

const NO_HISTORY = { deactivationsInWindow: 0, deactivationThatMustLapse: null };

type Held = NonNullable<Standing['activation']>;

/** Leases that have run out are ended first, so that they neither count nor stand in the way of a new row (D75). */
async function lockAndSweep(ctx: Ctx, names: readonly Named[], machineId: string): Promise<Standing | null> {
  const standing = await lockFirst(ctx, names, machineId);
  if (standing?.license.type !== 'FLOATING') return standing;
  const now = ctx.now();
  const expired = await repo.endExpiredLeases(ctx, standing.license.id, now);
  if (expired.length > 0) {
    const after = {
      status: statusAt(standing.license, now),
      machineIds: liveMachinesOf(standing.license.id),
    };
    for (const lease of expired) {
      await publish(ctx, subjectOf(standing), after, licensingEvent('LEASE_EXPIRED', lease));
    }
  }
  return findStanding(ctx, { id: standing.license.id }, machineId, now);
}

const trialSubjects = (
  ctx: Ctx,
  { license, product }: Standing,
  machineId: string,
): repo.TrialSubjects | null =>
  license.type === 'TRIAL'
    ? {
        productId: product.id,
        licenseId: license.id,
        machine: ctx.keyring.digest('lookup', `machine:${machineId}`),
        customer: license.customerId && ctx.keyring.digest('lookup', `customer:${license.customerId}`),
      }
    : null;

async function refuse(
  ctx: Ctx,
  standing: Standing,
  facts: Facts,
  decision: Decision,
  input: ActivateInput,
  now: string,
): Promise<Outcome> {
  if (decision.code !== 'SEATS_EXHAUSTED') return { refused: decision };
  const { id, maxActivations, status } = standing.license;
  await publish(
    ctx,
    subjectOf(standing),
    { status, machineIds: liveMachinesOf(id) },
    licensingEvent('ACTIVATION_LIMIT_REACHED', {
      machineId: input.machineId,
      machineName: input.machineName ?? null,
      activationsUsed: standing.used,
      maxActivations,
    }),
  );
  const circumstances = { oldestActivation: await repo.findOldest(ctx, id) };
  return { refused: decide('activate', { ...facts, circumstances }, now) };
}

async function bind(
  ctx: Ctx,
  standing: Standing,
  decision: Decision,
  input: ActivateInput,
  now: string,
): Promise<repo.Activation> {
  const leaseExpiresAt = decision.leaseExpiresAt ?? null;
  const activation: repo.Activation = {
    id: ctx.newId(ids.activation),
    licenseId: standing.license.id,
    kind: leaseExpiresAt === null ? 'NODE' : 'LEASE',
    machineId: input.machineId,
    machineName: input.machineName ?? null,
    osName: input.osName ?? null,
    osVersion: input.osVersion ?? null,
    appVersion: input.appVersion ?? null,
    activatedAt: now,
    lastSeenAt: now,
    leaseExpiresAt,
  };
  // Sent together: on Postgres the two share one trip.
  await Promise.all([
    repo.insert(ctx, standing.license.tenantId, activation),
    tell(ctx, standing, activation),
  ]);
  return activation;
}

async function tell(ctx: Ctx, standing: Standing, activation: repo.Activation): Promise<void> {
  const { machineId, machineName, leaseExpiresAt } = activation;
  const after = { status: standing.license.status, machineIds: liveMachinesOf(standing.license.id) };
  await publish(
    ctx,
    subjectOf(standing),
    after,
    licensingEvent('LICENSE_ACTIVATED', { machineId, machineName }),
  );
  if (leaseExpiresAt === null) return;
  await publish(
    ctx,
    subjectOf(standing),
    after,
    licensingEvent('SEAT_CHECKED_OUT', {
      activationId: activation.id,
      machineId,
      machineName,
      leaseExpiresAt,
      seatsUsed: standing.used + 1,
      seatsTotal: standing.license.maxActivations,
    }),
  );
}

function answer(
  ctx: Ctx,
  standing: Standing,
  decision: Decision,
  held: Held & { machineId: string },
): Activated {
  const used = standing.used + (decision.repeat ? 0 : 1);
  return {
    message: decision.message,
    license: licensePublic(ctx, standing, used),
    activation: activationPublic(held),
    ...(decision.versionAllowed !== undefined && { versionAllowed: decision.versionAllowed }),
  };
}
