import type { Finding } from '#kernel/check.ts';
import { ok, skip, warn } from '#kernel/check.ts';
import type { Ctx } from '#kernel/context.ts';
import { textsOf } from '#kernel/outbound/texts.ts';
import { routeOf } from './sending/route.ts';

/** Receivers treat mail of a domain that names no senders as spam, or refuse it. */
export async function checkSpf(ctx: Ctx): Promise<Finding> {
  const route = await routeOf(ctx);
  if (route.kind !== 'smtp') return skip('no mail server is used');
  const domain = route.sender.address.split('@').at(-1) ?? '';
  const texts = await textsOf(domain);
  if (texts === null) return skip(`the records of ${domain} could not be looked up`);
  const records = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const hint = `add a TXT record to ${domain}, such as "v=spf1 include:YOUR-MAIL-PROVIDER ~all"; your provider names it`;
  if (records.length === 0)
    return warn(`${domain} has no SPF record, so that emails of the shop may be taken for spam`, hint);
  if (records.length > 1)
    return warn(
      `${domain} has ${records.length} SPF records, and receivers ignore them all then`,
      `keep one TXT record of ${domain} that begins with v=spf1`,
    );
  return ok(`${domain} has an SPF record`);
}
