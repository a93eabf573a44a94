import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { file, page } from '#kernel/http/page.ts';
import { storeEmail } from '#storefront/contract/settings.ts';

const VALID_DAYS = 180;
const SECURITY = '/.well-known/security.txt';

/** To whom faults of the shop are reported (RFC 9116). */
export const securityPage = page({
  path: SECURITY,
  title: 'Security contact',
  audience: 'public',
  async show(ctx) {
    const email = ctx.settings.get(storeEmail);
    if (email === null) throw new AppError('NOT_FOUND', 404, 'the shop has no email address to report to');
    const [day = ''] = addSeconds(ctx.now(), VALID_DAYS * SECONDS_PER_DAY).split('T', 1);
    const lines = [
      `Contact: mailto:${encodeURI(email)}`,
      `Expires: ${day}T00:00:00Z`,
      `Canonical: ${new URL(SECURITY, ctx.baseUrl).href}`,
    ];
    return file('text/plain; charset=utf-8', `${lines.join('\n')}\n`, {
      cache: { by: 'public', maxAgeSeconds: 0 },
    });
  },
});
