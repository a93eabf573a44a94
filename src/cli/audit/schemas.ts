import { z } from 'zod';
import { AuditEntryView, AuditVerdict } from '#platform/audit/view.ts';

/** What `audit verify --json` printed, as far as a later check needs it. */
export const AnchorFile = AuditVerdict.pick({ head: true });

/** One entry of the stream, or what was written to a file. */
export const AuditExportOutput = z.union([
  AuditEntryView,
  z.strictObject({ file: z.string(), format: z.enum(['csv', 'jsonl']), entries: z.int() }),
]);
