import * as z from 'zod/mini';

/** Id of a key in a signed payload: 16 hex characters. */
export const keyIdClaim = () => z.string().check(z.regex(/^[0-9a-f]{16}$/));

/** A public key in a signed payload: 32 raw bytes in base64url. */
export const publicKeyClaim = () => z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/));
