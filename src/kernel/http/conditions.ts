import type { IncomingHttpHeaders } from 'node:http';

/** Which bytes a request for content is answered with, or why with none. `end` is included. */
export type Portion =
  | { readonly status: 200 | 206; readonly start: number; readonly end: number }
  | { readonly status: 304 | 412 | 416; readonly start?: never };

/** `"abc"`, or `W/"abc"`; quotes may hold commas. */
const ENTITY_TAGS = /(W\/)?"[^"]*"/g;
/** Without room for spaces, which the RFC knows none of here and which would be tried in every way of sharing them out. */
const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * Judges the conditions of a request in the order of RFC 9110 section 13.2.2: If-Match, If-None-Match, then If-Range
 * and Range, which count for GET alone.
 *
 * A Range that is malformed, of another unit or of several parts is ignored, as the RFC allows: the whole is sent.
 * Dates are never matched: content has an entity tag, and no time.
 *
 * @param etag strong, in quotes
 * @param size bytes of the whole
 */
export function portionOf(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  { etag, size }: { readonly etag: string; readonly size: number },
): Portion {
  const whole: Portion = { status: 200, start: 0, end: size - 1 };
  const wanted = headers['if-match'];
  if (wanted !== undefined && !names(wanted, etag, { weakly: false })) return { status: 412 };
  const known = headers['if-none-match'];
  if (known !== undefined && names(known, etag, { weakly: true })) return { status: 304 };
  if (method !== 'GET' || headers.range === undefined) return whole;
  const of = headers['if-range'];
  if (of !== undefined && of !== etag) return whole;
  return rangeOf(headers.range, size) ?? whole;
}

/** Whether an If-None-Match header names an entity tag. */
export const matchesTag = (list: string, etag: string): boolean => names(list, etag, { weakly: true });

/** Whether a list of entity tags names one. If-Match compares strongly and If-None-Match weakly (RFC 9110, 8.8.3.2). */
function names(list: string, etag: string, { weakly }: { weakly: boolean }): boolean {
  if (list.trim() === '*') return true;
  for (const [tag, weak] of list.matchAll(ENTITY_TAGS)) {
    if (weakly ? bare(tag) === bare(etag) : weak === undefined && tag === etag) return true;
  }
  return false;
}

const bare = (tag: string): string => tag.replace(/^W\//, '');

/** @returns null when the header is to be ignored */
function rangeOf(header: string, size: number): Portion | null {
  const [, first, last] = ONE_RANGE.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    // The last bytes of the whole; more than there are means all of them.
    const start = Math.max(0, size - Number(last));
    return start < size ? { status: 206, start, end: size - 1 } : { status: 416 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start < size ? { status: 206, start, end } : { status: 416 };
}
