import { STATUS_CODES } from 'node:http';
import { NoTurn } from '../db/database.ts';
import { isUnavailable } from '../db/dialect.ts';
import { AppError } from '../errors.ts';
import { DiskFull, diskFull } from '../storage/failure.ts';
import { UnreadableBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Page } from './page.ts';
import { wantedLanguages } from './wanted-languages.ts';

/** What a visitor is told of a request that failed. */
export interface ErrorModel {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Until it is worth another try; null where that is not known. */
  readonly retryAfterSeconds: number | null;
  /** What helps the operator to find the request in the log; null where there is nothing to find. */
  readonly requestId: string | null;
}

/** Titles and what to do next, by status. */
const PAGES: Readonly<Record<number, readonly [title: string, text: string]>> = {
  400: ['This request is not valid', 'Go back, check what you entered, and try again.'],
  401: ['Sign in to continue', 'You need to be signed in to see this page.'],
  403: ['You cannot open this page', 'Your account lacks the permission for it.'],
  404: ['Page not found', 'There is nothing at this address.'],
  405: ['This page does not accept that request', 'Go back and use the links and buttons of the page.'],
  413: ['This is too large', 'Choose smaller files or enter less text, and try again.'],
  429: ['Too many requests', 'Wait a moment, then try again.'],
  500: ['Something went wrong', 'The request could not be answered. Try again in a moment.'],
  507: ['The server cannot store this', 'Tell the operator of the server, and try again later.'],
  503: ['Not available right now', 'The installation cannot answer at the moment. Try again soon.'],
};

/** Of a form without the token of its visitor (reliability M16). */
const FOREIGN_FORM = ['This form was not accepted', ''] as const;
const isForeignForm = ({ details }: AppError): boolean => details.reason === 'CSRF';

/** Makes of whatever was thrown what the request log and an answer in JSON call it. */
export function pageError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof UnreadableBody) return new AppError('VALIDATION_ERROR', cause.status, cause.message);
  if (cause instanceof NoTurn) return busy('SERVER_ERROR');
  if (isUnavailable(cause)) return new AppError('SERVER_ERROR', 503, 'The database cannot be reached');
  if (cause instanceof DiskFull) return diskFull();
  return new AppError('SERVER_ERROR', 500, 'Unexpected error');
}

/** Of a request for which no connection to the database was free in time. @param code of an error that nobody expected */
export const busy = (code: string): AppError =>
  new AppError(code, 503, 'The server is too busy', {
    details: { retryAfterSeconds: NoTurn.RETRY_AFTER_SECONDS },
  });

/**
 * The page of an error.
 *
 * @param retryAfterSeconds until it is worth another try; undefined where that is not known
 */
export function errorModel(error: AppError, requestId: string, retryAfterSeconds?: number): ErrorModel {
  const { status } = error;
  const [title, text] = (isForeignForm(error) ? FOREIGN_FORM : PAGES[status]) ?? [
    STATUS_CODES[status] ?? 'Something went wrong',
    error.message,
  ];
  return {
    status,
    title,
    text:
      retryAfterSeconds === undefined ? textOf(error, text) : `Try again in ${inWords(retryAfterSeconds)}.`,
    retryAfterSeconds: retryAfterSeconds ?? null,
    requestId: status >= 500 ? requestId : null,
  };
}

/** What exactly is wrong helps whoever can change it; of the other faults only the general words are said. */
function textOf({ status, message }: AppError, text: string): string {
  if (![400, 401, 403, 409, 413, 422, 507].includes(status)) return text;
  const said = message.charAt(0).toUpperCase() + message.slice(1);
  return `${said}${/[.!?]$/.test(said) ? '' : '.'} ${status === 401 || status === 403 ? '' : text}`.trim();
}

function inWords(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** What a page has to say beside its failures: from the request alone. */
export const besideFailure = async (
  page: Page | null,
  { ctx, req }: Pick<Exchange, 'ctx' | 'req'>,
): Promise<Record<string, unknown>> =>
  (await page?.errors?.model?.(ctx, wantedLanguages(req), req.url ?? '/')) ?? {};
