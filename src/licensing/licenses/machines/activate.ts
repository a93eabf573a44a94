import type { Ctx } from '#kernel/context.ts';
import { licenseSignals, licensingEvent } from '#licensing/contract/events.ts';
import type { ActivationReply, LicensePublicReply } from '#licensing/contract/replies.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { publish } from '#licensing/publish.ts';
import {
  bind,
  findOldest,
  lockTrial,
  noteTrial,
  trialPastOf,
  trialSubjectsOf,
} from '../activations/index.ts';
import { type Decision, decide, type Facts, isLive, refusal } from '../decision/index.ts';
import { lockAndSweep } from '../licenses/index.ts';
import {
  activationPublic,
  factsOf,
  judge,
  licensePublic,
  liveMachinesOf,
  type Named,
  namesOf,
  type Standing,
  subjectOf,
} from '../standing/index.ts';
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
  const { standing, now } = await lockAndSweep(ctx, names, input.machineId);
  const trial = standing && trialSubjectsOf(ctx, standing, input.machineId);
  // Under every rule: what one license notes here may be what another one is refused or flagged for.
  if (trial && !isLive(standing.activation, now)) await lockTrial(ctx, trial);
  const facts: Facts = {
    ...factsOf(
      { malformed: names.length === 0, standing },
      { appVersion: input.appVersion },
      ctx.settings.get(defaultLeaseSeconds),
    ),
    history: await trialPastOf(ctx, trial),
  };
  const decision = judge(ctx, 'activate', facts, now, input.machineId);
  if (!standing) return { refused: decision };
  if (!decision.allowed) return refuse(ctx, standing, facts, decision, input, now);
  const taking = { by: 'activate', leaseExpiresAt: decision.leaseExpiresAt ?? null, now } as const;
  const activation = decision.repeat ? standing.activation : await bind(ctx, standing, input, taking);
  if (trial && !decision.repeat) await noteTrial(ctx, trial);
  if (decision.flagsTrialReuse) {
    const suspicion = { rule: 'TRIAL_REUSE', score: 1, evidence: { otherTrials: 1 } } as const;
    await licenseSignals.tell(ctx, 'LICENSE_SUSPECTED', standing.license.id, suspicion);
  }
  return {
    activated: answer(ctx, standing, decision, { ...(activation as Held), machineId: input.machineId }),
  };
}

type Held = NonNullable<Standing['activation']>;

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
  const circumstances = { oldestActivation: await findOldest(ctx, id, now) };
  return { refused: decide('activate', { ...facts, circumstances }, now) };
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
