/** How payment processors sign what they send: to the license service and to the shop alike. */
export { base64Digest, hexDigest, isSigned, isUsable } from './digest.ts';
export { squareSignatureFault } from './square.ts';
export { type SignedDelivery, stripeSignatureFault } from './stripe.ts';
