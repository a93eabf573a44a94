/** How a receiver in Node.js proves that a request comes from here. */
export const SIGNATURE_CHECK = `import { createHmac, timingSafeEqual } from 'node:crypto';

// rawBody: the bytes as they came, before anything parses them
export function isOurs(rawBody, headers, secret) {
  const wanted = 'sha256=' + createHmac('sha256', secret).update(rawBody).digest('hex');
  const got = Buffer.from(headers['x-webhook-signature'] ?? '');
  return got.length === wanted.length && timingSafeEqual(got, Buffer.from(wanted));
}`;
