import { type Check, onSchema } from '#kernel/check.ts';

/** What `appctl doctor` asks about accounts (cli.md section 7). */
export const accountChecks: readonly Check[] = [
  {
    id: 'admin.weak-password',
    title: 'passwords of staff',
    isLong: 'daily',
    run: onSchema(async (ctx, scope) => (await import('./weak-passwords.ts')).checkPasswords(ctx, scope)),
  },
];
