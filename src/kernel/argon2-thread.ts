// argon2id in threads of its own. In libuv's pool each of its four threads kept the memory of a hash after it had made
// one (a flood of sign-ins added 160 MB with one hash at a time), and the threads that answer requests had to share the
// cores with it as equals.
import type { Argon2Parameters } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A third of the share of whoever answers requests, when both want the same core: 10 would wait seconds on a busy one. */
const NICE = 5;

/**
 * What a thread runs. A text, because the executable has no file that a thread could load. Only Linux has a priority
 * for each thread; elsewhere it would be that of the whole program.
 */
const PROGRAM = `
const { argon2Sync } = require('node:crypto');
const { setPriority } = require('node:os');
const { parentPort } = require('node:worker_threads');
try {
  if (process.platform === 'linux') setPriority(0, ${NICE});
} catch {}
parentPort.on('message', (parameters) => {
  try {
    parentPort.postMessage({ tag: argon2Sync('argon2id', parameters) });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
`;

type Answer = { tag: Uint8Array } | { error: Error };

/** Threads that have nothing to do. They belong to the process, as libuv's do. */
const idle: Worker[] = [];

/**
 * Hashes by argon2id without holding up anything else. Each call that finds no idle thread makes one, so whoever calls
 * bounds how many run at the same time; they stay, and keep no program running.
 *
 * @returns the tag
 * @throws Error when the parameters are none that argon2id takes, or when the thread ended
 */
export async function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
  const thread = idle.pop() ?? begun();
  thread.ref();
  const answer = await answerOf(thread, parameters);
  thread.unref();
  idle.push(thread);
  if ('error' in answer) throw answer.error;
  return Buffer.from(answer.tag.buffer, answer.tag.byteOffset, answer.tag.length);
}

const begun = (): Worker => new Worker(PROGRAM, { eval: true, name: 'argon2id', env: {}, execArgv: [] });

/** One answer of a thread; one that ended is not used again. */
async function answerOf(thread: Worker, parameters: Argon2Parameters): Promise<Answer> {
  const over = new AbortController();
  const { signal } = over;
  try {
    thread.postMessage(parameters);
    const ended = once(thread, 'exit', { signal }).then(() => {
      throw new Error('the thread that hashes ended');
    });
    const [answer] = await Promise.race([once(thread, 'message', { signal }), ended]);
    return answer;
  } finally {
    over.abort();
  }
}
