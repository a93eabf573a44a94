import type { IncomingMessage } from 'node:http';
import { readPlain, UnreadableBody, withDeadline } from './body.ts';

/** The bytes of a body as they came, or why there are none. */
export type RawBody = { readonly bytes: Buffer } | { readonly fault: 'TOO_LARGE' | 'UNREADABLE' };

/**
 * Reads bodies that somebody signed byte for byte: any content type, and no content decoding, since the signature is
 * over what was sent (licensing section 2.9). What cannot be read is told to the endpoint, which has its own answer.
 *
 * @param maxBytes of the body as it came
 */
export function rawBody(maxBytes: number): (req: IncomingMessage) => Promise<RawBody> {
  return async (req) => {
    try {
      return { bytes: await withDeadline(req, readPlain(req, maxBytes)) };
    } catch (error) {
      if (!(error instanceof UnreadableBody)) throw error;
      return { fault: error.status === 413 ? 'TOO_LARGE' : 'UNREADABLE' };
    }
  };
}
