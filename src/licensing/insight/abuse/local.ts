import type { LocalPart } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import { licenseSignals } from '#licensing/contract/events.ts';

export const abuseLocal = {
  name: 'abuse',
  subscribers: [
    on(licenseSignals, 'LICENSE_SUSPECTED', async (ctx, { subject, data }) => {
      const { raise } = await import('./raise.ts');
      await raise(ctx, { licenseId: subject, ...data });
    }),
  ],
} satisfies LocalPart;
