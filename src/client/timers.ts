import { randomFraction } from './bytes.ts';
import { ClientError } from './errors.ts';

/** Platforms count the delay of a timer in 31 bits and fire at once beyond. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Timer {
  stop(): void;
}

/** `background`: whether the timer may end with the process. What a caller awaits must keep the process alive. */
export function startTimer(delayMs: number, background: boolean, run: () => void): Timer {
  const handle = setTimeout(run, Math.min(Math.max(delayMs, 0), LONGEST_MS));
  // Browsers give a number, which has no such method.
  if (background) (handle as { unref?: () => void }).unref?.();
  return { stop: () => clearTimeout(handle) };
}

/** ±10 %, so that the clients of a customer do not call all at once (7.1). */
export const withJitter = (delayMs: number): number => delayMs * (0.9 + 0.2 * randomFraction());

/**
 * Waits.
 *
 * @throws ClientError ABORTED as soon as the signal says so
 */
export function pause(delayMs: number, background: boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    const leave = (): void => {
      timer.stop();
      reject(aborted());
    };
    const timer = startTimer(delayMs, background, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}

export const aborted = (): ClientError => new ClientError('ABORTED', 'the call was given up');

/** A signal that follows several; `release` ends the subscription to those that live longer than the call. */
export function follow(signals: readonly (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  release(): void;
} {
  const controller = new AbortController();
  const leave = (): void => controller.abort();
  const sources = signals.filter((signal) => signal !== undefined);
  for (const source of sources) {
    if (source.aborted) leave();
    else source.addEventListener('abort', leave, { once: true });
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const source of sources) source.removeEventListener('abort', leave);
    },
  };
}

/** Settles as `work` does, or rejects at once when the signal says so; the work itself may go on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(aborted());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Waits for work that goes on afterwards all the same. */
export function atMost(longestMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(longestMs, false, resolve);
    const end = (): void => {
      timer.stop();
      resolve();
    };
    work.then(end, reject);
  });
}
