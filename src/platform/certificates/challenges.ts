import { createSecureContext, type SecureContext } from 'node:tls';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { acmeInForce } from './in-force.ts';
import type { Challenge, ChallengeType } from './record.ts';
import * as repo from './repository.ts';

/** An authority has long looked by then, or never will. */
const FORGOTTEN_SECONDS = 3600;

/** What an authority is told over plain HTTP, by the token that it names; another server may have asked for it. */
export async function answerTo(ctx: Ctx, token: string): Promise<string | undefined> {
  const { here, answers } = ctx.memory.of(acmeInForce);
  if (here === null) return undefined;
  const known = answers.get(token);
  if (known !== undefined) return known;
  await readChallenges(ctx);
  return answers.get(token);
}

/** What proves to an authority that this server has a name; undefined while no certificate is ordered. */
export const proofOf = ({ memory }: Pick<Ctx, 'memory'>, name: string): SecureContext | undefined =>
  memory.of(acmeInForce).proofs.get(name.toLowerCase())?.context;

/** Reads what every server of the database answers now. The handshake of TLS cannot wait for it. */
export async function readChallenges(ctx: Ctx): Promise<void> {
  const { answers, proofs } = ctx.memory.of(acmeInForce);
  const all = await repo.listChallenges(ctx);
  const of = (type: ChallengeType) => all.filter((one) => one.type === type);
  const [texts, certificates] = [of('http-01'), of('tls-alpn-01')];
  answers.clear();
  for (const { subject, answer } of texts) answers.set(subject, answer);
  for (const name of proofs.keys())
    if (!certificates.some(({ subject }) => subject === name)) proofs.delete(name);
  for (const { subject, answer } of certificates) {
    if (proofs.get(subject)?.answer === answer) continue;
    proofs.set(subject, { answer, context: createSecureContext({ cert: answer, key: answer }) });
  }
}

/** Answers an authority from now on, on this server at once. */
export async function offer(ctx: Ctx, challenge: Omit<Challenge, 'createdAt'>): Promise<void> {
  await ctx.tx(async (ctx) => {
    await repo.removeChallenges(ctx, addSeconds(ctx.now(), -FORGOTTEN_SECONDS));
    await repo.addChallenge(ctx, { ...challenge, createdAt: ctx.now() });
  });
  await readChallenges(ctx);
}

/** The authority has looked. */
export async function withdraw(ctx: Ctx, type: ChallengeType, subject: string): Promise<void> {
  await ctx.tx((ctx) => repo.removeChallenge(ctx, type, subject));
  await readChallenges(ctx);
}
