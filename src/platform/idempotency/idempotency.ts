import { addSeconds, SECONDS_PER_DAY, sleep } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { claiming } from './claiming.ts';
import { KEPT_DAYS } from './record.ts';
import * as repo from './repository.ts';

/** A request that may be sent again. */
export interface Repeatable {
  /** The value of its header, 1 to 255 printable ASCII characters. */
  readonly key: string;
  /** Which operation is asked for: `POST /api/v1/admin/webhooks`. */
  readonly operation: string;
  /** Everything that the operation goes by, as it was read. */
  readonly request: unknown;
}

/** What was answered. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** So long a repetition waits for the answer to the request that came first. */
const WAIT_MS = 2000;
const LOOK_MS = 50;

/** Rolls back the transaction of a repetition. */
class Repeated extends Error {}

/**
 * Does what a request asks for once, however often and in however many processes it comes within 24 hours (reliability
 * M5): the first transaction of the work claims the key, and what was answered is kept, sealed, for the repetitions. A
 * refusal frees the key. What writes nothing is done again. Keys are those of the actor and the operation.
 *
 * @param work gets the ctx to work with
 * @throws AppError CONFLICT for the same key with another request (IDEMPOTENCY_MISMATCH), and where the answer to the
 *   first one is not known (IN_PROGRESS): it is still worked on, or the process died before it was kept
 */
export async function doOnce(
  ctx: Ctx,
  asked: Repeatable,
  work: (ctx: Ctx) => Promise<Answer>,
): Promise<Answer> {
  const { kind, id } = ctx.actor;
  const named = { scope: `${kind} ${id ?? '-'} ${asked.operation}`, key: asked.key };
  const hash = ctx.keyring.digest('lookup', JSON.stringify(asked.request));
  if (await repo.find(ctx, named, oldest(ctx))) return repetition(ctx, named, hash);
  let isClaimed = false;
  const claim = async (ctx: Ctx): Promise<void> => {
    if (!(await repo.take(ctx, named, hash, oldest(ctx)))) throw new Repeated();
  };
  const working = claiming(ctx, claim, () => {
    isClaimed = true;
  });
  try {
    const answer = await work(working);
    if (isClaimed) await ctx.tx((ctx) => repo.keepAnswer(ctx, named, sealed(ctx, named, answer)));
    return answer;
  } catch (error) {
    if (error instanceof Repeated) return repetition(ctx, named, hash);
    const isRefusal = error instanceof AppError && error.status < 500;
    if (isClaimed && isRefusal) await ctx.tx((ctx) => repo.free(ctx, named));
    throw error;
  }
}

const oldest = (ctx: Ctx): string => addSeconds(ctx.now(), -KEPT_DAYS * SECONDS_PER_DAY);

/** The answer that the first request got; waited for a little where that one is under way. */
async function repetition(ctx: Ctx, named: repo.Named, hash: string): Promise<Answer> {
  for (let waited = 0; waited <= WAIT_MS; waited += LOOK_MS) {
    const found = await repo.find(ctx, named, oldest(ctx));
    if (found && found.requestHash !== hash) throw mismatch(named);
    if (found?.answer) return JSON.parse(ctx.keyring.open('secret', found.answer, ownerOf(ctx, named)));
    await sleep(LOOK_MS);
  }
  throw fail(
    'CONFLICT',
    `a request with Idempotency-Key ${named.key} was already received, but its answer is not known: retry later, or check whether it was done`,
    { details: { reason: 'IN_PROGRESS' } },
  );
}

const mismatch = ({ key }: repo.Named): AppError =>
  fail('CONFLICT', `Idempotency-Key ${key} was already used for a different request: send a new key`, {
    details: { reason: 'IDEMPOTENCY_MISMATCH' },
  });

const ownerOf = ({ tenantId }: Ctx, { scope, key }: repo.Named): string =>
  `idempotency ${tenantId} ${scope} ${key}`;

const sealed = (ctx: Ctx, named: repo.Named, answer: Answer): string =>
  ctx.keyring.seal('secret', JSON.stringify(answer), ownerOf(ctx, named));
