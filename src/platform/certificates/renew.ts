import { readFileSync } from 'node:fs';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { ensurePrivateFolder, writePrivateFile } from '#kernel/private-files.ts';
import type { Issued } from './authority.ts';
import { type AcmeHere, acmeInForce } from './in-force.ts';
import type { ChallengeType, StoredCertificate } from './record.ts';
import { dueOf, nextAttempt } from './renewal.ts';
import * as repo from './repository.ts';
import { acmeServers, SAME_DIRECTORY, tellAuthority } from './servers.ts';

/**
 * Orders the certificate of this server when it is due. The next attempt is noted before this one begins: a process that
 * is killed in the middle of each does not ask more often than the authority allows.
 *
 * @returns counts for the history of the job
 */
export async function renewDue(ctx: Ctx): Promise<Record<string, number>> {
  const { here } = ctx.memory.of(acmeInForce);
  if (here === null) throw new Error('only a running server orders certificates: run appctl serve');
  const { name, directory } = here.acme;
  // Said first: of two servers that begin at once, at least one sees the other.
  await tellAuthority(ctx);
  const others = (await acmeServers(ctx)).filter((one) => one.name === name && one.server !== here.server);
  const known = await repo.find(ctx, name);
  const due = dueOf(
    known,
    directory,
    ctx.now(),
    others.map((one) => one.directory),
  );
  tellOfOthers(ctx, due === 'others' ? (known?.directory ?? null) : null);
  if (due !== 'order') {
    await bringHere(ctx);
    return due === 'nothing' ? {} : { waiting: 1 };
  }
  const begun = begin(known, here, ctx.now());
  await ctx.tx((ctx) => repo.save(ctx, begun));
  // Loaded with the first order: a server whose certificate is not due does without it.
  const { order, OrderFailed } = await import('./authority.ts');
  let issued: Issued;
  try {
    issued = await order(ctx, here, challengeFor(here, begun.failures));
    await keep(ctx, begun, issued);
  } catch (error) {
    const message = (error as Error).message;
    const isLimited = error instanceof OrderFailed && error.isLimited;
    const nextAttemptAt = nextAttempt(begun.failures, ctx.now(), isLimited);
    await ctx.tx((ctx) =>
      repo.save(ctx, { ...begun, lastError: message, nextAttemptAt, updatedAt: ctx.now() }),
    );
    ctx.log.error({ name, error: message, nextAttemptAt }, 'no certificate was issued');
    return { failed: 1 };
  }
  ctx.log.info({ name, endsAt: issued.endsAt }, 'a certificate was issued');
  // It is stored: a disk that cannot take it now gets it later, and nobody orders another one.
  await bringHere(ctx);
  return { issued: 1 };
}

/** Once for each, and not with every run. @param directory of the authority that other servers use; null for none */
function tellOfOthers(ctx: Ctx, directory: string | null): void {
  const kept = ctx.memory.of(acmeInForce);
  if (directory !== null && directory !== kept.told)
    ctx.log.warn(
      { hint: SAME_DIRECTORY },
      `other servers of this database order from ${directory}, so nothing is ordered from ${kept.here?.acme.directory}`,
    );
  kept.told = directory;
}

/** Of an order that was begun: it is the error of one whose server ended. */
const UNDER_WAY = 'the server ended while it ordered a certificate';
/** So long an order takes at most. */
const ORDER_SECONDS = 300;

/** Why nothing was issued; null while an order may still be under way. @param now ISO */
export const failureOf = (
  { lastError, updatedAt }: Pick<StoredCertificate, 'lastError' | 'updatedAt'>,
  now: string,
): string | null =>
  lastError === UNDER_WAY && addSeconds(updatedAt, ORDER_SECONDS) > now ? null : lastError;

function begin(known: StoredCertificate | null, { acme }: AcmeHere, now: string): StoredCertificate {
  const isSame = known?.directory === acme.directory;
  const failures = (isSame ? known.failures : 0) + 1;
  return {
    name: acme.name,
    // That of another authority is shown until there is one of this.
    chain: isSame ? known.chain : null,
    beginsAt: isSame ? known.beginsAt : null,
    endsAt: isSame ? known.endsAt : null,
    directory: acme.directory,
    failures,
    lastError: UNDER_WAY,
    nextAttemptAt: nextAttempt(failures, now),
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  };
}

/** Where one way is closed, such as a port that nobody forwards, the next attempt takes the other. */
function challengeFor({ hasPlainHttp }: AcmeHere, failures: number): ChallengeType {
  const isFirst = failures % 2 === 1;
  return hasPlainHttp === isFirst ? 'http-01' : 'tls-alpn-01';
}

async function keep(ctx: Ctx, begun: StoredCertificate, issued: Issued): Promise<void> {
  const { key, ...rest } = issued;
  await ctx.tx((ctx) =>
    repo.save(
      ctx,
      { ...begun, ...rest, failures: 0, lastError: null, nextAttemptAt: null, updatedAt: ctx.now() },
      key,
    ),
  );
}

/** Writes what was issued to the data directory, whichever server ordered it, and shows it. */
export async function bringHere(ctx: Ctx): Promise<void> {
  const { here } = ctx.memory.of(acmeInForce);
  const known = here && (await repo.find(ctx, here.acme.name));
  if (!here || !known || known.chain === null || readHere(here.file).includes(known.chain.trim())) return;
  const key = await repo.openKey(ctx, here.acme.name);
  if (key === null) return;
  ensurePrivateFolder(here.folder);
  // One file, so that a server that starts in this moment finds a pair.
  writePrivateFile(here.file, `${key.trim()}\n${known.chain.trim()}\n`);
  here.show();
}

function readHere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
