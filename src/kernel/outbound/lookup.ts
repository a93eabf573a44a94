import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { TargetRules } from './types.ts';
import { checkAddress, hostOf, TargetRefused } from './url.ts';

/** One address of a name. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Finds all addresses of a name. Rejects with what the system says, or with the signal's reason. */
export type Resolver = (host: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** A name has no address now: it does not exist, or nobody who knows it answers. */
export class NameUnresolved extends Error {
  constructor(host: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'no answer';
    super(`${host} could not be resolved (${code})`, { cause });
    this.name = 'NameUnresolved';
  }
}

const MAX_ANSWERS = 16;
const MAX_CALLS = 2;

/** A look-up that runs or waits, and how many still want its answer. */
interface Call {
  readonly answer: Promise<readonly Address[]>;
  wanted: number;
}

/**
 * Makes a resolver that asks the system for few names at a time. Whoever asks for a name that is being looked up shares
 * the answer, so that one name with a slow server takes one place.
 *
 * @param lookup finds all addresses of a name; it cannot be stopped once it runs
 * @param maxCalls that run at once
 */
export function createResolver(
  lookup: (host: string) => Promise<readonly Address[]>,
  maxCalls: number,
): Resolver {
  const calls = new Map<string, Call>();
  const queue: (() => void)[] = [];
  let running = 0;
  const turn = async (): Promise<void> => {
    if (running >= maxCalls) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
  };
  const run = async (host: string): Promise<readonly Address[]> => {
    await turn();
    try {
      // Those who wanted it may have given up while it waited.
      if (calls.get(host)?.wanted === 0) return [];
      return await lookup(host);
    } finally {
      calls.delete(host);
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
  return async (host, signal) => {
    const call = calls.get(host) ?? { answer: run(host), wanted: 0 };
    calls.set(host, call);
    call.wanted += 1;
    try {
      return await orAborted(call.answer, signal);
    } finally {
      call.wanted -= 1;
    }
  };
}

/**
 * The one resolver of this process. Each look-up of the system holds a thread of the pool that files and hashing need,
 * so the limit is the process's and not a caller's (reliability M8).
 */
export const systemResolver: Resolver = createResolver(
  (host) => systemLookup(host, { all: true, order: 'verbatim' }),
  MAX_CALLS,
);

/**
 * The addresses under which a target may be connected to: each single answer has passed the guard.
 *
 * @param signal ends the wait
 * @throws TargetRefused when one answer is not allowed or there are more than 16; NameUnresolved when there is none;
 *   the signal's reason
 */
export async function resolveTarget(
  url: URL,
  rules: TargetRules,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const host = hostOf(url);
  // Nobody looks literals up: a connection to one would pass every resolver by.
  const answers = isIP(host) === 0 ? await ask(host, resolver, signal) : [literal(host)];
  if (answers.length > MAX_ANSWERS) {
    throw new TargetRefused(
      `${host} resolves to ${answers.length} addresses; at most ${MAX_ANSWERS} are allowed`,
    );
  }
  // One answer that is not allowed refuses the name: which of them a connection takes is chance.
  for (const { address } of answers) checkAddress(url, address, rules);
  return answers;
}

const literal = (host: string): Address => ({ address: host, family: isIP(host) });

async function ask(host: string, resolver: Resolver, signal: AbortSignal): Promise<readonly Address[]> {
  let answers: readonly Address[];
  try {
    answers = await resolver(host, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : new NameUnresolved(host, error);
  }
  if (answers.length === 0) throw new NameUnresolved(host, new Error('no address'));
  return answers;
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const settle =
      <A>(settled: (value: A) => void) =>
      (value: A) => {
        signal.removeEventListener('abort', abort);
        settled(value);
      };
    work.then(settle(resolve), settle(reject));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
