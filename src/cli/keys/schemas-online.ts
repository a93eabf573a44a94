import { z } from 'zod';
import type { OnlineKey } from '#licensing/catalog/keys/index.ts';
import { DELEGATION_USES } from '#signing/keys/delegation.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

const KeyId = z.string().regex(/^[0-9a-f]{16}$/);

export const KeysDelegateOutput = z.strictObject({ delegation: z.string().startsWith('delegation/') });

const Shape = z.strictObject({
  keyId: KeyId,
  product: z.string(),
  algorithm: z.literal('ed25519'),
  publicKey: z.string().length(44),
  status: z.enum(['ACTIVE', 'NEXT', 'RETIRED']),
  createdAt: Instant,
  delegation: z
    .strictObject({
      root: KeyId,
      use: z.array(z.enum(DELEGATION_USES)),
      notBefore: Instant,
      expiresAt: Instant,
      valid: z.boolean(),
    })
    .nullable(),
}) satisfies z.ZodType<OnlineKey>;

export const OnlineKeyOutput = Shape.extend({ dryRun });
export const OnlineKeyPage = pageShape(Shape);
