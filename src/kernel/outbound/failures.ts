import { NameUnresolved } from './lookup.ts';
import type { TargetFailure } from './types.ts';
import { TargetRefused } from './url.ts';

/** The one deadline of a request has passed. */
export class DeadlinePassed extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`);
    this.name = 'DeadlinePassed';
  }
}

/** The receiver does something that no receiver may. */
export class AnswerRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AnswerRefused';
  }
}

const MAX_TEXT = 300;

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the receiver closed the connection without an answer',
  EPIPE: 'the receiver closed the connection without an answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are longer than 16 KiB',
};

/**
 * What a log of deliveries says about an error of a request: `blocked`, `timeout` or `network`, and a text for people
 * that holds nothing of the request.
 */
export function failureOf(error: unknown): { failure: TargetFailure; error: string } {
  if (error instanceof TargetRefused)
    return { failure: 'blocked', error: `blocked address: ${error.reason}` };
  if (error instanceof DeadlinePassed) return { failure: 'timeout', error: error.message };
  return { failure: 'network', error: textOf(error as NodeJS.ErrnoException) };
}

function textOf(error: NodeJS.ErrnoException): string {
  if (error instanceof NameUnresolved || error instanceof AnswerRefused) return error.message;
  // Several addresses that all failed come as one error without a message.
  const code = error.code ?? 'unknown error';
  const known = TEXTS[code];
  if (known !== undefined) return `${known} (${code})`;
  if (code.startsWith('HPE_')) return `the answer is not valid HTTP (${code})`;
  // A certificate may have put its words into it: no line feed, no NUL, nothing that a terminal obeys.
  const message = error.message
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT);
  return message === '' ? code : `${message} (${code})`;
}
