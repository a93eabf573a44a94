import { z } from 'zod';
import { ReleaseView } from '#licensing/releases/releases/view.ts';
import { dryRun, pageShape } from '../shapes.ts';
import type { ReleaseView as Shown } from './view.ts';

/** `Release` of cli.md section 2. */
export const ReleaseShape = ReleaseView.omit({
  bundleSha512: true,
  extra: true,
  statement: true,
  statementSignature: true,
  sequence: true,
  statementExpiresAt: true,
  requiredEntitlements: true,
  yankedAt: true,
  createdAt: true,
  updatedAt: true,
}).extend({
  rollout: ReleaseView.shape.rollout.omit({ schedule: true }),
  yankedReason: z.exactOptional(z.string()),
}) satisfies z.ZodType<Shown>;

export const ReleasePage = pageShape(ReleaseShape);
export const ReleasePlan = ReleaseShape.extend({ dryRun });

/** `keyRegistered`: this run made the key the ACTIVE one of its product. */
export const ReleaseShipped = ReleasePlan.extend({ keyRegistered: z.boolean() });

/** Files of a feed, in the order in which they were written. */
export const ReleaseFeedShape = z.strictObject({ files: z.array(z.string()), dryRun });
