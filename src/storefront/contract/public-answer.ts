import { sha256Hex } from '#kernel/crypto.ts';
import type { Reply } from '#kernel/http/endpoint.ts';

/**
 * An answer that everybody gets, and that need not be sent to whoever has it (storefront-api.md 1.9).
 *
 * @param etag in quotes; of the body when absent
 */
export const publicAnswer = <T>(
  body: T,
  etag = `"${sha256Hex(JSON.stringify(body)).slice(0, 32)}"`,
): Reply<T> => ({ status: 200, body, head: { cache: { by: 'public', maxAgeSeconds: 0, etag } } });
