import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

/** Longer than any public key in any form. */
export const PUBLIC_KEY_TEXT = 1000;

/** A product is named by its id or its slug. */
export const ProductParams = later(() => z.strictObject({ id: text({ min: 1, max: 63 }) }));

/** The id of a key: the first bytes of the digest of its public half. */
export const keyIdField = () =>
  text({ min: 16, max: 16, form: { pattern: /^[0-9a-f]{16}$/, says: '16 hex characters' } });
