// Pictures are decoded in a process of their own: what a hostile file makes of the decoder ends there, its memory goes
// back to the system with it, and one that does not come to an end can be stopped, which no thread allows.
import { type ChildProcess, spawn } from 'node:child_process';
import { programArguments } from '#kernel/process-identity.ts';
import { NotAPicture } from './structure.ts';
import type { Answered, Asked, Rendered, RenderOrder } from './types.ts';

/** The word that starts the process; src/cli/index.ts knows it too. */
const WORD = 'picture-process';
/** Nobody waits longer for the next picture of a series. */
const IDLE_MS = 5000;
/** Beyond it the process is begun anew: libvips keeps what it once had. */
const MOST_RSS_BYTES = 250_000_000;

let running: ChildProcess | null = null;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();
let orders = 0;

/**
 * Renders a picture, after those that were ordered before.
 *
 * @param withinMs of rendering; then its process is killed
 * @throws NotAPicture for what cannot be decoded, or not in time; Error when the process cannot be started
 */
export function renderPicture(order: RenderOrder, withinMs: number): Promise<Rendered> {
  const mine = last.then(() => ordered(order, withinMs));
  last = mine.catch(() => undefined);
  return mine;
}

async function ordered(order: RenderOrder, withinMs: number): Promise<Rendered> {
  clearTimeout(idle);
  running ??= begun();
  const child = running;
  child.ref();
  child.channel?.ref();
  orders += 1;
  try {
    const answer = await answerOf(child, { ...order, id: orders }, withinMs);
    if ('rendered' in answer && answer.rssBytes < MOST_RSS_BYTES) rest(child);
    else end(child);
    if ('rendered' in answer) return answer.rendered;
    throw new NotAPicture('INCOMPLETE', 'The picture file is damaged. Upload it again');
  } catch (error) {
    end(child);
    throw error;
  }
}

function begun(): ChildProcess {
  const words = [...programArguments(), WORD];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  // One that is killed at rest reports it to nobody.
  return child.on('error', () => undefined);
}

/** It waits for the next order without keeping this process running. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  idle = setTimeout(() => end(child), IDLE_MS).unref();
}

function end(child: ChildProcess): void {
  if (running === child) running = null;
  child.kill('SIGKILL');
}

function answerOf(child: ChildProcess, asked: Asked, withinMs: number): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const late = () =>
    reject(new NotAPicture('UNSAFE', 'The picture takes too long to render. Upload a simpler version'));
  const timer = setTimeout(late, withinMs);
  const ended = () =>
    reject(
      new NotAPicture(
        'UNSAFE',
        'The picture cannot be rendered. Save it again in an image editor and upload the result',
      ),
    );
  const message = (answer: Answered) => {
    if (answer.id === asked.id) resolve(answer);
  };
  child.on('message', message).once('exit', ended).once('error', reject);
  child.send(asked, (error) => error && reject(error));
  return promise.finally(() => {
    clearTimeout(timer);
    child.off('message', message).off('exit', ended).off('error', reject);
  });
}
