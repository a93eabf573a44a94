// A receiver of webhooks with a script of faults, in a process of its own: it outlives every kill of the sender and
// remembers each request.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * What a request gets: a status, a connection that is cut (`reset`), no answer ever (`silence`), 200 with a body that
 * takes its time (`drip`), or 503 with a body that is far too long (`flood`).
 */
export type Reply = number | 'reset' | 'silence' | 'drip' | 'flood';

/** How a receiver chooses its answers. Of lists the last answer is given for ever. */
export type Script =
  | { by: 'chance'; seed: number; odds: readonly (readonly [Reply, perMille: number])[] }
  | { by: 'attempt' | 'arrival'; replies: readonly Reply[] };

/** One address of the receiver. */
export interface Hook {
  /** Last part of its path. */
  name: string;
  /** What requests are signed with. */
  secret: string;
  script: Script;
  /** Answers take up to so long. */
  delayMs: number;
}

/** One request as it came in. Times are of the receiver's monotonic clock, in milliseconds. */
export interface Received {
  hook: string;
  id: string;
  event: string;
  attempt: number;
  /** SHA-256 of the bytes. */
  bodyHash: string;
  isSigned: boolean;
  /** Documented headers that were missing or other than documented. */
  oddity: string | null;
  reply: Reply;
  atMs: number;
  /** When it was answered, or its connection ended; null while neither has happened. */
  endMs: number | null;
  /** Whether the sender was still there when its answer was due. */
  wasAwaited: boolean;
  /** Of a few requests, for another program to sign. */
  sample: { body: string; signature: string } | null;
}

/** Asked of the process; it answers each with one message. */
export type Question =
  | { ask: 'hook'; hook: Hook }
  | { ask: 'received'; hook: string | null }
  | { ask: 'forget' }
  | { ask: 'tally' };

/** How much has come in. */
export interface Tally {
  requests: number;
  /** Requests that are being answered. */
  open: number;
  firstMs: number;
  lastMs: number;
}

/** The process, and what it is asked. */
export interface Receiver {
  /** Without a slash at its end. */
  url: string;
  pid: number;
  /** Makes or replaces an address. */
  listen(hook: Hook): Promise<void>;
  /** Everything that came to one address, or to all of them. */
  received(hook?: string): Promise<Received[]>;
  tally(): Promise<Tally>;
  /** Begins to count anew. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a receiver on a free port of 127.0.0.1; it ends with this process. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, 'receiver-process.ts'), [], {
    execArgv: [],
    env: { PATH: process.env.PATH },
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const ask = queue(child);
  return {
    url,
    pid: child.pid as number,
    listen: async (hook) => void (await ask({ ask: 'hook', hook })),
    received: async (hook) => (await ask({ ask: 'received', hook: hook ?? null })) as Received[],
    tally: async () => (await ask({ ask: 'tally' })) as Tally,
    forget: async () => void (await ask({ ask: 'forget' })),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** One question at a time: answers carry no number. */
function queue(child: ChildProcess): (question: Question) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve();
  return (question) => {
    const answer = last.then(async () => {
      const told = once(child, 'message');
      child.send(question);
      return (await told)[0];
    });
    last = answer.catch(() => undefined);
    return answer;
  };
}
