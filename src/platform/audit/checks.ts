import { type Check, fail, ok, onSchema } from '#kernel/check.ts';
import { counted } from '#kernel/counts.ts';
import { verify } from './verify.ts';

/** What `appctl doctor` asks about the audit log (cli.md section 7). */
export const auditChecks: readonly Check[] = [
  {
    id: 'audit.chain',
    title: 'the audit log is as it was written',
    isLong: 'daily',
    run: onSchema(async (ctx) => {
      const verdict = await verify(ctx);
      if (verdict.ok) return ok(`${counted(verdict.checked, 'entry', 'entries')} of the audit log verified`);
      return fail(
        `entry ${verdict.brokenAt} of the audit log: ${verdict.fault}; somebody changed it outside of appctl`,
        'appctl audit verify; compare with a backup of before',
      );
    }),
  },
];
