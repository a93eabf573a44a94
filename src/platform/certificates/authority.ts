import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Authorization, Client, crypto as cryptoOf } from 'acme-client';
import { isoTime, sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { isStopping } from '#kernel/jobs/stopping.ts';
import { createPrivateFile, ensurePrivateFolder } from '#kernel/private-files.ts';
import { offer, withdraw } from './challenges.ts';
import { type AcmeHere, acmeInForce } from './in-force.ts';
import type { ChallengeType } from './record.ts';

/** A certificate as an authority issued it. */
export interface Issued {
  readonly chain: string;
  readonly key: string;
  readonly beginsAt: string;
  readonly endsAt: string;
}

/** Why an authority issued nothing. */
export class OrderFailed extends Error {
  /** It was asked too often. */
  readonly isLimited: boolean;

  constructor(message: string, isLimited = false) {
    super(message);
    this.name = 'OrderFailed';
    this.isLimited = isLimited;
  }
}

type Crypto = typeof cryptoOf;

const MOST_WORDS = 1000;
/** An order is asked for after so long, and then after twice as long. */
const ASK_AGAIN_MS = 1000;
const LOOK_MS = 500;
/** Validation and issuance take seconds; an authority that takes longer is asked again later. */
const LONGEST_MS = 180_000;
/** Other processes of the database look for challenges each second. */
const OTHERS_MS = 2500;

/**
 * Orders a certificate for the name of this server. It takes seconds to minutes, and ends early when the process does.
 *
 * @param first the challenge that is preferred
 * @throws OrderFailed in the words of the authority
 */
export async function order(ctx: Ctx, here: AcmeHere, first: ChallengeType): Promise<Issued> {
  const began = { isOver: false };
  try {
    return await Promise.race([orderFrom(ctx, here, first), tooLong(ctx, began)]);
  } catch (error) {
    if (error instanceof OrderFailed) throw error;
    throw await failureOf(error, here.acme.directory);
  } finally {
    began.isOver = true;
  }
}

async function tooLong(ctx: Ctx, order: { isOver: boolean }): Promise<never> {
  for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
    await sleep(LOOK_MS);
    if (order.isOver || isStopping(ctx)) throw new OrderFailed('the server stopped meanwhile');
  }
  throw new OrderFailed(`no certificate after ${LONGEST_MS / 60_000} minutes`);
}

async function orderFrom(ctx: Ctx, here: AcmeHere, first: ChallengeType): Promise<Issued> {
  const { name, directory } = here.acme;
  const { Client, crypto, axios } = await import('acme-client');
  // The job tries again, and says meanwhile what is wrong.
  Object.assign((axios.defaults as unknown as { acmeSettings: object }).acmeSettings, {
    retryMaxAttempts: 0,
  });
  axios.defaults.timeout = 30_000;
  const accountKey = await accountKeyIn(here, () => crypto.createPrivateEcdsaKey());
  const [csrKey, csr] = await crypto.createCsr(
    { commonName: name, altNames: [name] },
    await crypto.createPrivateEcdsaKey(),
  );
  const client = new Client({ directoryUrl: directory, accountKey, backoffMin: ASK_AGAIN_MS });
  await openAccount(client, here.acme);
  const chain = await client.auto({
    csr,
    // A server behind a router may not reach its own public address, though the authority does.
    skipChallengeVerification: true,
    challengePriority: first === 'http-01' ? ['http-01', 'tls-alpn-01'] : ['tls-alpn-01', 'http-01'],
    challengeCreateFn: (authorization, challenge, text) =>
      answer(ctx, crypto, { authorization, challenge, text }),
    async challengeRemoveFn({ identifier }, challenge) {
      const { type, subject } = subjectOf(challenge, identifier.value);
      await withdraw(ctx, type, subject);
    },
  });
  return issued(chain, csrKey.toString());
}

/** What a challenge is found by. @throws OrderFailed for one that this server cannot answer */
function subjectOf(
  { type, token }: { type: string; token: string },
  name: string,
): { type: ChallengeType; subject: string } {
  if (type === 'http-01') return { type, subject: token };
  if (type === 'tls-alpn-01') return { type, subject: name };
  throw new OrderFailed(`the authority accepts neither http-01 nor tls-alpn-01 for ${name}`);
}

/** Lets every server answer a challenge. @param asked `text` is what proves that the account asked for it */
async function answer(
  ctx: Ctx,
  crypto: Crypto,
  asked: { authorization: Authorization; challenge: { type: string; token: string }; text: string },
): Promise<void> {
  const { authorization, challenge, text } = asked;
  const { type, subject } = subjectOf(challenge, authorization.identifier.value);
  const proof = async () =>
    pemOf(await crypto.createAlpnCertificate(authorization, text, await crypto.createPrivateEcdsaKey()));
  await offer(ctx, { type, subject, answer: type === 'http-01' ? text : await proof() });
  if (ctx.memory.of(acmeInForce).here?.hasOthers) await sleep(OTHERS_MS);
}

/** Finds the account of the key, or opens it. */
async function openAccount(client: Client, acme: AcmeHere['acme']): Promise<void> {
  const { email, agreedTo } = acme;
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
  try {
    await client.createAccount({ onlyReturnExisting: true });
  } catch (error) {
    // Where the authority was not reached, it did not say that there is none.
    if (isUnreached(error)) throw error;
    await client.createAccount({ termsOfServiceAgreed: agreedTo !== undefined, ...contact });
    return;
  }
  if (email !== undefined) await client.updateAccount(contact);
}

const pemOf = (parts: readonly Buffer[]): string => parts.map((part) => part.toString().trim()).join('\n');

/** What an authority sends is used only when it fits the key. */
function issued(chain: string, key: string): Issued {
  const first = new X509Certificate(chain);
  return {
    chain,
    key,
    beginsAt: isoTime(Date.parse(first.validFrom)),
    endsAt: isoTime(Date.parse(first.validTo)),
  };
}

/** The key of the account at an authority; a second account would count against its limits. */
async function accountKeyIn({ folder, acme }: AcmeHere, make: () => Promise<Buffer>): Promise<Buffer> {
  const file = join(folder, `account-${new URL(acme.directory).host.replace(/[^a-z0-9.-]/gi, '-')}.key`);
  ensurePrivateFolder(folder);
  if (!existsSync(file)) createPrivateFile(file, (await make()).toString());
  return readFileSync(file);
}

/** The library stumbles over an answer that never came. */
const isUnreached = (error: unknown): boolean =>
  error instanceof TypeError || (error as { code?: string }).code !== undefined;

/** @param error as acme-client throws it: the words of the authority, or its own where nothing answered */
async function failureOf(error: unknown, directory: string): Promise<OrderFailed> {
  const { host } = new URL(directory);
  if (isUnreached(error))
    return new OrderFailed(`${host} cannot be reached: ${await whyUnreached(directory)}`);
  const words = ((error as Error).message || String(error)).slice(0, MOST_WORDS);
  return new OrderFailed(`${host} issued no certificate: ${words}`, /rate.?limit|too many/i.test(words));
}

async function whyUnreached(directory: string): Promise<string> {
  try {
    await fetch(directory, { signal: AbortSignal.timeout(ASK_AGAIN_MS * 5) });
    return 'it did not answer in time';
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
    return cause?.message || cause?.code || message;
  }
}
