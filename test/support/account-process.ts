// A process that opens the installation which the environment names and works on accounts of customers beside other
// processes: each line of work is what is done and with what; the answer tells what became of it.
import { createInterface } from 'node:readline';
import { loadConfig } from '#kernel/config/load.ts';
import { newToken } from '#kernel/crypto.ts';
import { AppError } from '#kernel/errors.ts';
import { logTo } from '#kernel/log.ts';
import {
  confirmEmailChange,
  noteDevice,
  proveSecondFactor,
  register,
  resetPassword,
  verifyEmail,
} from '#storefront/people/accounts/index.ts';
import { openInstance } from '../../src/app/instance.ts';

export type AccountWork =
  | { readonly does: 'register'; readonly email: string; readonly password: string; readonly times: number }
  | { readonly does: 'reset'; readonly token: string; readonly password: string; readonly times: number }
  | { readonly does: 'verify' | 'change-email'; readonly token: string; readonly times: number }
  | { readonly does: 'code' | 'recovery'; readonly id: string; readonly code: string; readonly times: number }
  | { readonly does: 'device'; readonly id: string; readonly name: string; readonly times: number };

const { config } = await loadConfig();
const instance = await openInstance({
  config,
  log: logTo({ write: () => undefined }, 'silent'),
  mode: 'use',
});
const { ctx } = instance;

async function once(work: AccountWork): Promise<string> {
  switch (work.does) {
    case 'register': {
      const said = { firstName: null, lastName: null, acceptsMarketing: false, locale: 'en' };
      await register(ctx, { email: work.email, password: work.password, ...said });
      return 'answered';
    }
    case 'reset':
      await resetPassword(ctx, work.token, work.password);
      return 'reset';
    case 'verify':
      await verifyEmail(ctx, work.token);
      return 'done';
    case 'change-email':
      await confirmEmailChange(ctx, work.token);
      return 'done';
    case 'device':
      await noteDevice(ctx, work.id, { name: work.name, rename: () => newToken('') }, 'en');
      return 'noted';
    default: {
      const proof = work.does === 'code' ? { code: work.code } : { recoveryCode: work.code };
      return (await proveSecondFactor(ctx, work.id, proof)) ? 'in' : 'refused';
    }
  }
}

const attempt = (work: AccountWork): Promise<string> =>
  once(work).catch((error: unknown) =>
    error instanceof AppError ? String(error.details.reason ?? error.code) : String(error),
  );

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const work = JSON.parse(line) as AccountWork;
  const outcomes = await Promise.all(Array.from({ length: work.times }, () => attempt(work)));
  const tally: Record<string, number> = {};
  for (const one of outcomes) tally[one] = (tally[one] ?? 0) + 1;
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}
await instance.close();
