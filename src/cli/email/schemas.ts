import { z } from 'zod';
import { EmailView } from '#platform/mail/view.ts';
import { batchShape, dryRun } from '../shapes.ts';

/** What changes one email prints, and what changes several. */
export const EmailOrBatch = z.union([EmailView.extend({ dryRun }), batchShape(EmailView)]);
