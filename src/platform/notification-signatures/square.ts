import { base64Digest, isSigned } from './digest.ts';
import type { SignedDelivery } from './stripe.ts';

/**
 * Over the configured URL and the body; a URL made of the request's Host would be the sender's own choice (M9).
 *
 * @param notificationUrl what the processor was told to call (D107)
 * @returns as `stripeSignatureFault`
 */
export function squareSignatureFault(
  { raw, header, secrets }: SignedDelivery,
  notificationUrl: string,
): string | null {
  if (header === undefined) return 'the header x-square-hmacsha256-signature is missing';
  const digest = base64Digest(header);
  if (digest === null) return 'the signature is not 32 bytes in base64';
  return isSigned([digest], secrets, [notificationUrl, raw])
    ? null
    : `the signature does not match the secret and the notification URL ${notificationUrl}`;
}
