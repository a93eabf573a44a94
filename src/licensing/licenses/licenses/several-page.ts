import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { email as emailField } from '#kernel/http/fields.ts';
import { page, refuseForm, show } from '#kernel/http/page.ts';
import { csvText } from '#kernel/records/csv-write.ts';
import { rehearsing } from '#kernel/rehearse.ts';
import { later } from '#kernel/sharing.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { perform } from '#platform/admin/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { licenseResource } from './resource.ts';

const PATH = '/admin/licenses/new/several';
/** Each is a transaction of its own, and somebody waits for them. */
const MOST = 100;
/** With more products their name is typed. */
const MOST_OFFERED = 100;

const typed = () => z.string().max(300).optional();
/** Texts, which the operation judges license by license. */
const Form = later(() =>
  z.object({
    productId: z.string().max(100).meta({ title: 'Product' }),
    emails: z.string().max(40_000).meta({ title: 'Email addresses' }),
    each: z.string().max(10).meta({ title: 'Licenses per customer' }),
    type: typed(),
    tier: typed(),
    maxActivations: typed(),
    validUntil: typed(),
    orderId: typed(),
    once: z.string().max(64).optional(),
  }),
);
type Sent = z.output<typeof Form>;

/** A license that was made, or why it was not. */
interface Made {
  readonly email: string;
  readonly id: string | null;
  readonly key: string | null;
  readonly fault: string | null;
}

/** Several licenses by one form, their keys shown once (admin.md 5.5, mint). */
export const severalPage = page({
  path: PATH,
  title: 'Several licenses',
  audience: { staff: 'licensing:write' },
  layout: PANEL,
  help: 'sell-licenses',
  form: Form,
  show: async (ctx) =>
    show(
      'licensing/several',
      { path: PATH, products: await offeredOf(ctx), types: LICENSE_TYPES, tiers: LICENSE_TIERS, most: MOST },
      { values: { each: '1', once: ctx.newId('frm') } },
    ),
  async submit(ctx, { form }) {
    const emails = emailsOf(form);
    await rehearseOne(ctx, form, emails[0] as string);
    const made: Made[] = [];
    for (const [index, email] of emails.entries()) made.push(await mint(ctx, form, email, index));
    const records = made.flatMap(({ id, email, key }) => (id === null ? [] : [[email, key ?? '', id]]));
    return show('licensing/several-made', {
      made,
      count: records.length,
      csv: csvText([['email', 'key', 'id'], ...records]),
      again: PATH,
    });
  },
});

/** Every address as often as licenses are wanted for it. @throws FormRefusal for none and for too many */
function emailsOf({ emails, each }: Sent): readonly string[] {
  const lines = emails.split(/\r?\n/).map((line) => line.trim());
  const named = lines.filter((line) => line !== '');
  const times = /^\d{1,4}$/.test(each.trim()) ? Number(each) : 0;
  if (named.length === 0) throw refuseForm('No email addresses', { emails: 'Enter at least one address' });
  if (times === 0) throw refuseForm('How many licenses?', { each: `Enter a number from 1 to ${MOST}` });
  if (named.length * times > MOST)
    throw refuseForm('Too many licenses at once', {
      each: `At most ${MOST} licenses can be created at once`,
    });
  const wrong = named.find((one) => !Address.safeParse(one).success);
  if (wrong !== undefined)
    throw refuseForm('No licenses were created', {
      emails: `"${wrong}" in line ${lines.indexOf(wrong) + 1} is not a valid email address`,
    });
  return named.flatMap((email) => Array.from({ length: times }, () => email));
}

const Address = emailField();

/** Products by name, or null where there are more than a choice should hold. */
async function offeredOf(ctx: Ctx): Promise<{ value: string; label: string }[] | null> {
  const { items, pagination } = await products.list(ctx, { page: 1, limit: MOST_OFFERED });
  return pagination.total > MOST_OFFERED
    ? null
    : items.map(({ slug, name }) => ({ value: slug, label: name }));
}

/**
 * What is wrong with the product or the term is wrong with all of them: it is said at its field, before any is made.
 *
 * @throws FormRefusal for an unknown product; AppError as the creation of one license does
 */
async function rehearseOne(ctx: Ctx, sent: Sent, email: string): Promise<void> {
  try {
    await perform(rehearsing(ctx), creationOf(), { body: bodyOf(sent, email), headers: {} });
  } catch (error) {
    if (!(error instanceof AppError && error.status === 404)) throw error;
    throw refuseForm('No licenses were created', { productId: error.message });
  }
}

const creationOf = (): Endpoint =>
  licenseResource
    .endpoints('license-admin')
    .find(({ method, path }) => method === 'post' && path.endsWith('/licenses')) as Endpoint;

/** The body that makes one of them. */
function bodyOf(sent: Sent, email: string): Record<string, unknown> {
  const { productId, type, tier, maxActivations, validUntil, orderId } = sent;
  const given = {
    productId,
    customerEmail: email,
    type,
    tier,
    maxActivations:
      maxActivations && (/^\d{1,9}$/.test(maxActivations) ? Number(maxActivations) : maxActivations),
    // The field says that it is UTC, and that the day counts to its end.
    validUntil: validUntil && `${validUntil}T23:59:59.999Z`,
    orderId,
    source: 'BULK',
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));
}

async function mint(ctx: Ctx, sent: Sent, email: string, index: number): Promise<Made> {
  const headers: Record<string, string> = sent.once ? { 'idempotency-key': `${sent.once}-${index}` } : {};
  try {
    const { body: answer } = await perform(ctx, creationOf(), { body: bodyOf(sent, email), headers });
    const { license, key } = answer as { license: { id: string }; key: string | null };
    return { email, id: license.id, key, fault: null };
  } catch (error) {
    if (!(error instanceof AppError && error.status < 500)) throw error;
    return { email, id: null, key: null, fault: error.message };
  }
}
