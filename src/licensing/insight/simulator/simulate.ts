import type { Ctx } from '#kernel/context.ts';
import { failureBody, successBody } from '#kernel/service/envelope.ts';
import { checkInput } from '#kernel/service/input.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import {
  churnOf,
  findLastExpired,
  findNextEnd,
  findOldest,
  trialPastOf,
  trialSubjectsOf,
} from '#licensing/licenses/activations/index.ts';
import {
  type Action,
  type Circumstances,
  type Decision,
  decide,
  type Facts,
  publicAnswer,
  refusal,
} from '#licensing/licenses/decision/index.ts';
import { previewCheck } from '#licensing/releases/updates/index.ts';
import { shortReply } from './reply.ts';
import { type PolicySource, type Scene, sceneOf } from './scene.ts';
import { type CheckedSimulation, Simulation, type SimulationInput } from './schemas.ts';

/** What would be answered, and why. */
export interface Simulated {
  /** Of a refusal: exactly what the public API sends, without a request id. Of a success: its essential fields. */
  answer: { httpStatus: number; body: Record<string, unknown> };
  decision: Omit<Decision, 'extra' | 'repeat'>;
  evaluatedAt: string;
  policySource: PolicySource;
}

/**
 * Tells what the service would answer to a request, for any moment and machine, with the license and its policy as
 * they are or as if they were changed. Changes nothing: no row, no event, no counter (licensing 6.5).
 *
 * @param input licenseId or draft; times as RFC 3339, `leaseDuration` in seconds
 * @throws AppError VALIDATION_ERROR; NOT_FOUND for what the caller may not know of
 */
export async function simulate(ctx: Ctx, input: SimulationInput): Promise<Simulated> {
  const asked = checkInput(Simulation, input);
  const at = asked.at ?? ctx.now();
  const scene = await sceneOf(ctx, asked, at);
  const facts = await factsFor(ctx, scene, asked, at);
  const first = decide(asked.action, facts, at);
  const circumstances = await circumstancesOf(ctx, asked, scene, first, at);
  const decision = decide(asked.action, { ...facts, circumstances }, at, { trace: true });
  const { extra, repeat, ...shown } = decision;
  const offer = await offerOf(ctx, scene, asked, decision, at);
  return {
    answer: offer ?? answerOf(asked.action, decision, facts),
    decision: shown,
    evaluatedAt: at,
    policySource: scene.policySource,
  };
}

async function factsFor(ctx: Ctx, scene: Scene, asked: CheckedSimulation, at: string): Promise<Facts> {
  const { appVersion, quantity, leaseDuration, entitlement, validUntil } = asked;
  return {
    license: scene.license,
    product: scene.product,
    policy: scene.policy,
    activation: scene.activation,
    used: scene.used,
    request: { appVersion, quantity, leaseDuration, entitlement, validUntil },
    history: await historyOf(ctx, scene, asked, at),
    defaultLeaseSeconds: ctx.settings.get(defaultLeaseSeconds),
  };
}

function historyOf(
  ctx: Ctx,
  scene: Scene,
  { action, machineId }: CheckedSimulation,
  at: string,
): Promise<Facts['history']> | null {
  if (action === 'deactivate') return churnOf(ctx, scene, at);
  // Without a machine nobody can say whether it had a trial before.
  if (action !== 'activate' || machineId === undefined) return null;
  return trialPastOf(ctx, trialSubjectsOf(ctx, scene, machineId));
}

/** What only the details of a refusal tell, read as the endpoints read it. */
async function circumstancesOf(
  ctx: Ctx,
  { action, machineId, draft }: CheckedSimulation,
  { license, activation }: Scene,
  { code }: Decision,
  at: string,
): Promise<Circumstances> {
  if (draft !== undefined) return {};
  if (action === 'activate' && code === 'SEATS_EXHAUSTED')
    return { oldestActivation: await findOldest(ctx, license.id, at) };
  if (action === 'checkout' && code === 'SEATS_EXHAUSTED')
    return { nextLeaseExpiresAt: await findNextEnd(ctx, license.id, at) };
  if (code !== 'NOT_CHECKED_OUT' || machineId === undefined) return {};
  const own = activation?.leaseExpiresAt ?? null;
  return { lastLeaseExpiredAt: own ?? (await findLastExpired(ctx, license.id, machineId)) };
}

/** What updates/check would offer; null for any other question, and where no installed version is named. */
async function offerOf(
  ctx: Ctx,
  { license, policy, product }: Scene,
  asked: CheckedSimulation,
  { allowed }: Decision,
  at: string,
): Promise<Simulated['answer'] | null> {
  const { action, currentVersion: current_version, channel = 'stable', platform, arch } = asked;
  if (action !== 'update' || !allowed || current_version === undefined) return null;
  const { prereleaseNeedsBeta } = await products.get(ctx, product.id);
  const body = await previewCheck(
    ctx,
    { license, policy, product, prereleaseNeedsBeta },
    { current_version, channel, platform, arch },
    asked.machineId ?? '',
    at,
  );
  return { httpStatus: 200, body: successBody(body) };
}

function answerOf(action: Action, decision: Decision, facts: Facts): Simulated['answer'] {
  const { status, code } = publicAnswer(action, decision);
  return code === null
    ? { httpStatus: status, body: successBody(shortReply(action, decision, facts)) }
    : { httpStatus: status, body: failureBody(refusal(action, decision), null) };
}
